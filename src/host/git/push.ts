// Sending commits to a remote. It is done from a repository of nobody that sees the objects of the real one: so nothing
// that a repository configures has a say in what is started, where it leads, or who is asked for a password.
import { appendFileSync, copyFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { type RemoteAddress, readRemote } from '../../text/url/remote-url.ts'
import type { Effects } from '../host.ts'
import { temporaryFolder } from '../temp-folders.ts'
import type { GitOnMachine, MachineOrder } from './git.ts'
import type { Ended } from './git-process.ts'
import { inVariables, type Setting } from './hardening.ts'
import { servedRemote } from './local-remote.ts'
import type { Repository } from './repository.ts'
import { nobodysRepository } from './temporary-tree.ts'
import { userEnvironment, waysOf } from './user-credentials.ts'

/** A remote as it is configured. */
export interface Configured {
  url: string
  /** Where it is pushed to, if that is another place. */
  pushurl: string | undefined
}

export interface Destination {
  address: RemoteAddress
  /** As git is told it: before the user's own settings have made the address of it. */
  configured: Configured
  /** Real path of a folder of this machine. */
  folder: string | undefined
}

interface PushOrder {
  /** `<commit>:refs/heads/<branch>` */
  refspec: string
  /** `<ref>:<commit>`: what must be replaced at the remote, where something else may be. */
  lease?: string
  timeout_ms: number
}

const NAME = 'there'

/** The other side is a git of this machine, in a repository that anybody may have made: it runs nothing of it, and does
 * not touch files that are checked out. */
const RECEIVE: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.alternateRefsCommand', 'true'],
  ['receive.denyCurrentBranch', 'refuse'],
  ['receive.autogc', 'false'],
  ['gc.auto', '0'],
  ['gpg.program', 'false'],
  ['safe.directory', '*']
]

export class Pushing {
  readonly #machine: GitOnMachine
  readonly #repository: Repository
  readonly #effects: Pick<Effects, 'signal' | 'committed'>

  constructor(machine: GitOnMachine, repository: Repository, effects: Pick<Effects, 'signal' | 'committed'>) {
    this.#machine = machine
    this.#repository = repository
    this.#effects = effects
  }

  /** Where a push to a remote leads, once the user's own settings have had their say. Nothing is reached. */
  async destination(configured: Configured): Promise<Destination> {
    const said = await this.#run(configured, ['remote', 'get-url', '--push', NAME], { access: 'read' })
    const address = readRemote(said.stdout.toString('utf8').replace(/\n$/, ''))
    if ('fault' in address) throw new ToolError('URL_BLOCKED', `The address of the remote ${address.fault}.`)
    return {
      address,
      configured,
      folder:
        address.transport === 'file'
          ? servedRemote(path.resolve(this.#repository.top, address.path), this.#machine.roots)
          : undefined
    }
  }

  async send(to: Destination, { refspec, lease, timeout_ms }: PushOrder): Promise<Ended & { stdout: Buffer }> {
    await this.#effects.committed()
    const words = RECEIVE.map(([key, value]) => `-c ${key}=${value}`).join(' ')
    const { folder, address } = to
    const args = [
      ...['push', '--porcelain', '--no-verify', '--no-signed', '--no-progress', '--recurse-submodules=no'],
      ...(lease === undefined ? [] : [`--force-with-lease=${lease}`]),
      ...(folder === undefined ? [] : [`--receive-pack=git ${words} receive-pack`]),
      ...['--', NAME, refspec]
    ]
    const configured = folder === undefined ? to.configured : { url: folder, pushurl: undefined }
    return this.#run(configured, args, { access: 'push', env: { GIT_ALLOW_PROTOCOL: address.transport }, timeout_ms })
  }

  async #run(
    configured: Configured,
    args: readonly string[],
    { env = {}, ...order }: Omit<MachineOrder, 'args' | 'writable'>
  ) {
    const { common_dir, git_dir, configuration } = this.#repository
    const { path: folder, remove } = await temporaryFolder(this.#machine.drafts)
    try {
      const place = path.join(folder, 'git')
      nobodysRepository(place, this.#repository)
      appendFileSync(path.join(place, 'config'), sectionOf(configured))
      const shallow = path.join(common_dir, 'shallow')
      if (existsSync(shallow)) copyFileSync(shallow, path.join(place, 'shallow'))
      const { environment, user } = this.#machine
      const running = await this.#machine.start(
        place,
        {
          ...order,
          args,
          env: {
            ...userEnvironment(environment, configuration.users, user.home),
            GIT_DIR: place,
            GIT_OBJECT_DIRECTORY: path.join(common_dir, 'objects'),
            ...inVariables(waysOf(configuration.users)),
            ...env
          },
          writable: []
        },
        this.#effects.signal
      )
      const ended = await running.all(MAX_BYTES)
      return { ...ended, stderr: withoutFolders(ended.stderr, [place, git_dir, common_dir]) }
    } finally {
      await remove()
    }
  }
}

/** Only where it stands in a file git takes a remote for one. */
const sectionOf = ({ url, pushurl }: Configured) =>
  [
    `[remote "${NAME}"]`,
    `\turl = ${quoted(url)}`,
    ...(pushurl === undefined ? [] : [`\tpushurl = ${quoted(pushurl)}`]),
    ''
  ].join('\n')

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`

const MAX_BYTES = 1024 * 1024

const withoutFolders = (text: string, folders: readonly string[]) =>
  folders.reduce((said, folder) => said.replaceAll(folder, '.git'), text)
