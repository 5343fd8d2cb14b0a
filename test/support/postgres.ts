// A PostgreSQL for one test, benchmark or campaign: in a temporary folder, on a socket there, as an ordinary user, since it refuses to run as root.
import { chmodSync, chownSync, globSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa, execaSync } from 'execa'
import { ORDINARY_ID } from './other-user.ts'
import { removeFolder } from './remove-folder.ts'
import { waitUntil, within } from './wait.ts'

/** Returns the folder of the newest installed version; undefined if there is none. */
export const findPostgres = (): string | undefined => globSync('/usr/lib/postgresql/*/bin').sort().at(-1)

const asUser = process.getuid?.() === 0 ? { uid: ORDINARY_ID, gid: ORDINARY_ID } : {}

/** Ends what a test, a benchmark or a campaign has started. */
export interface Owner {
  teardown(end: () => Promise<void>): void
}

/**
 * Starts it with the durability that PostgreSQL has by itself: a commit waits for the disk. `prepare` gets the empty folder of its data,
 * such as to mount a disk there, and returns what undoes that.
 */
export async function startPostgres(owner: Owner, prepare: (data: string) => () => void = () => () => {}) {
  const bin = findPostgres()!
  const folder = mkdtempSync(path.join(tmpdir(), 'pg-'))
  chmodSync(folder, 0o755)
  const data = path.join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const undo = prepare(data)
  if ('uid' in asUser) for (const one of [folder, data]) chownSync(one, ORDINARY_ID, ORDINARY_ID)
  const options = { ...asUser, cwd: folder, env: { LC_ALL: 'C', PATH: process.env.PATH }, extendEnv: false }
  execaSync(path.join(bin, 'initdb'), ['-D', data, '-U', 'toolgate', '--auth=trust', '--encoding=UTF8'], options)
  let running: (PromiseLike<unknown> & { kill(signal: NodeJS.Signals): boolean }) | undefined

  const start = async () => {
    let hasEnded = true
    const launch = () => {
      const args = ['-D', data, '-k', folder, '-c', 'listen_addresses=']
      const launched = execa(path.join(bin, 'postgres'), args, { ...options, stdio: 'ignore', reject: false })
      hasEnded = false
      launched.then(() => {
        hasEnded ||= running === launched
      })
      running = launched
    }
    await waitUntil('PostgreSQL answers', () => {
      // It ends at once while processes of the one that was killed are still there.
      if (hasEnded) launch()
      return !execaSync(path.join(bin, 'pg_isready'), ['-h', folder], { ...options, reject: false }).failed
    })
  }
  /** Ends it and its children at once. */
  const kill = async () => {
    running?.kill('SIGKILL')
    await within('PostgreSQL to end', Promise.resolve(running))
  }
  owner.teardown(async () => {
    running?.kill('SIGINT')
    await within('PostgreSQL to stop', Promise.resolve(running))
    undo()
    removeFolder(folder)
  })
  await start()
  let databases = 0
  return {
    start,
    kill,
    /** Creates an empty database and returns its address. */
    createDatabase() {
      const name = `hub${++databases}`
      execaSync(path.join(bin, 'createdb'), ['-h', folder, '-U', 'toolgate', name], options)
      return `postgres://toolgate@localhost/${name}?host=${encodeURIComponent(folder)}`
    }
  }
}
