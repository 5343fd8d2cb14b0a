// Sending commits to a remote. It is done from a repository of nobody that sees the objects of the real one: so nothing
// that a repository configures has a say in what is started, where it leads, or who is asked for a password.
import { appendFileSync, copyFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { type RemoteAddress, readRemote } from '../../text/url/remote-url.ts'
import type { Effects } from '../effects.ts'
import { createTempFolder } from '../temp-folders.ts'
import type { GitProcessOptions } from './git-command.ts'
import type { GitExit } from './git-process.ts'
import type { GitService } from './git-service.ts'
import { type GitSetting, toConfigEnv } from './hardening.ts'
import { resolveLocalRemote } from './local-remote.ts'
import type { Repository } from './repository.ts'
import { createScratchRepository } from './temporary-tree.ts'
import { transportSettings, userEnvironment } from './user-credentials.ts'

/** A remote as it is configured. */
export interface RemoteConfig {
  url: string
  /** Where it is pushed to, if that is another place. */
  pushurl: string | undefined
}

export interface PushDestination {
  address: RemoteAddress
  /** As git is told it: before the user's own settings have made the address of it. */
  remote: RemoteConfig
  /** Real path of a folder of this machine. */
  localFolder: string | undefined
}

interface PushOptions {
  /** `<commit>:refs/heads/<branch>` */
  refspec: string
  /** `<ref>:<commit>`: what must be replaced at the remote, where something else may be. */
  lease?: string
  timeout_ms: number
}

const REMOTE_NAME = 'there'

/** The other side is a git of this machine, in a repository that anybody may have made: it runs nothing of it, and does
 * not touch files that are checked out. */
const RECEIVE_PACK_SETTINGS: readonly GitSetting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.alternateRefsCommand', 'true'],
  ['receive.denyCurrentBranch', 'refuse'],
  ['receive.autogc', 'false'],
  ['gc.auto', '0'],
  ['gpg.program', 'false'],
  ['safe.directory', '*']
]

export class GitPush {
  readonly #service: GitService
  readonly #repository: Repository
  readonly #effects: Pick<Effects, 'signal' | 'commitIntent'>

  constructor(machine: GitService, repository: Repository, effects: Pick<Effects, 'signal' | 'commitIntent'>) {
    this.#service = machine
    this.#repository = repository
    this.#effects = effects
  }

  /** Where a push to a remote leads, once the user's own settings have had their say. Nothing is reached. */
  async resolveDestination(remote: RemoteConfig): Promise<PushDestination> {
    const said = await this.#run(remote, ['remote', 'get-url', '--push', REMOTE_NAME], { access: 'read' })
    const address = readRemote(said.stdout.toString('utf8').replace(/\n$/, ''))
    if ('fault' in address) throw new ToolError('URL_BLOCKED', `The address of the remote ${address.fault}.`)
    return {
      address,
      remote,
      localFolder:
        address.transport === 'file'
          ? resolveLocalRemote(path.resolve(this.#repository.top, address.path), this.#service.roots)
          : undefined
    }
  }

  async send(to: PushDestination, { refspec, lease, timeout_ms }: PushOptions): Promise<GitExit & { stdout: Buffer }> {
    await this.#effects.commitIntent()
    const words = RECEIVE_PACK_SETTINGS.map(([key, value]) => `-c ${key}=${value}`).join(' ')
    const { localFolder, address } = to
    const args = [
      ...['push', '--porcelain', '--no-verify', '--no-signed', '--no-progress', '--recurse-submodules=no'],
      ...(lease === undefined ? [] : [`--force-with-lease=${lease}`]),
      ...(localFolder === undefined ? [] : [`--receive-pack=git ${words} receive-pack`]),
      ...['--', REMOTE_NAME, refspec]
    ]
    const configured = localFolder === undefined ? to.remote : { url: localFolder, pushurl: undefined }
    return this.#run(configured, args, { access: 'push', env: { GIT_ALLOW_PROTOCOL: address.transport }, timeout_ms })
  }

  async #run(
    configured: RemoteConfig,
    args: readonly string[],
    { env = {}, ...order }: Omit<GitProcessOptions, 'args' | 'writable'>
  ) {
    const { common_dir, git_dir, configuration } = this.#repository
    const { path: folder, remove } = await createTempFolder(this.#service.draftsFolder)
    try {
      const place = path.join(folder, 'git')
      createScratchRepository(place, this.#repository)
      appendFileSync(path.join(place, 'config'), remoteSection(configured))
      const shallow = path.join(common_dir, 'shallow')
      if (existsSync(shallow)) copyFileSync(shallow, path.join(place, 'shallow'))
      const { environment, user } = this.#service
      const running = await this.#service.start(
        place,
        {
          ...order,
          args,
          env: {
            ...userEnvironment(environment, configuration.userSettings, user.home),
            GIT_DIR: place,
            GIT_OBJECT_DIRECTORY: path.join(common_dir, 'objects'),
            ...toConfigEnv(transportSettings(configuration.userSettings)),
            ...env
          },
          writable: []
        },
        this.#effects.signal
      )
      const ended = await running.readAll(MAX_OUTPUT_BYTES)
      return { ...ended, stderr: hideFolders(ended.stderr, [place, git_dir, common_dir]) }
    } finally {
      await remove()
    }
  }
}

/** Only where it stands in a file git takes a remote for one. */
const remoteSection = ({ url, pushurl }: RemoteConfig) =>
  [
    `[remote "${REMOTE_NAME}"]`,
    `\turl = ${quoteValue(url)}`,
    ...(pushurl === undefined ? [] : [`\tpushurl = ${quoteValue(pushurl)}`]),
    ''
  ].join('\n')

const quoteValue = (value: string) => `"${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`

const MAX_OUTPUT_BYTES = 1024 * 1024

const hideFolders = (text: string, folders: readonly string[]) =>
  folders.reduce((said, folder) => said.replaceAll(folder, '.git'), text)
