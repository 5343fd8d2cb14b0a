// Pushes commits to a remote. It runs from a scratch repository that sees the objects of the real one: so the repository's
// configuration does not determine which programs run, what the destination is, or where credentials are sent.
import { appendFileSync, copyFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { type RemoteAddress, readRemote } from '../../text/url/remote-url.ts'
import type { Effects } from '../effects.ts'
import { type GitSetting, toConfigEnv } from '../git-settings.ts'
import { createTempFolder } from '../temp-folders.ts'
import type { GitProcessOptions } from './git-command.ts'
import type { GitExit } from './git-process.ts'
import type { GitService } from './git-service.ts'
import { resolveLocalRemote } from './local-remote.ts'
import type { Repository } from './repository.ts'
import { createScratchRepository } from './temporary-tree.ts'
import { transportSettings, userEnvironment } from './user-credentials.ts'

/** A remote as configured. */
interface RemoteConfig {
  url: string
  /** Push URL, if different. */
  pushurl: string | undefined
}

export interface PushDestination {
  address: RemoteAddress
  /** As passed to git: before the user's own settings rewrite the address. */
  remote: RemoteConfig
  /** Real path of a local folder. */
  localFolder: string | undefined
}

interface PushOptions {
  /** Refspec of the push: `<commit>:refs/heads/<branch>` */
  refspec: string
  /** Force-with-lease: `<ref>:<commit>`, the expected state of the remote, if it may be overwritten. */
  lease?: string
  timeout_ms: number
}

const REMOTE_NAME = 'there'

/**
 * The receiver is this machine's git in an untrusted repository: it runs no program of it, and does not touch checked-out files.
 */
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

  /** Resolves the destination of a push, applying the user's own settings. Does not access the network. */
  async resolveDestination(remote: RemoteConfig): Promise<PushDestination> {
    const result = await this.#run(remote, ['remote', 'get-url', '--push', REMOTE_NAME], { access: 'read' })
    const address = readRemote(result.stdout.toString('utf8').replace(/\n$/, ''))
    if ('error' in address) throw new ToolError('URL_BLOCKED', `The remote URL ${address.error}.`)
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

/** Git recognizes a remote only if it is in a configuration file. */
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
  folders.reduce((redacted, folder) => redacted.replaceAll(folder, '.git'), text)
