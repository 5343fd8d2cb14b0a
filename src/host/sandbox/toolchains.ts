// The programs of a person that lie outside the system's folders: what the server's own search path leads to, and the
// folder that they were installed into, which they cannot do without. What a call sets says nothing here.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { homeOf } from '../../server/xdg.ts'
import { isFresh, stampOf } from '../files/fingerprint.ts'
import type { Environment } from '../processes/environment.ts'
import { coversSystem } from './bubblewrap/system-folders.ts'
import { credentialsIn, isCredential } from './credentials.ts'
import { isBeneath, real, realIfThere } from './path-within.ts'

export interface Seen {
  /** To be seen as they are. */
  folders: string[]
  /** Credentials among them. */
  hidden: string[]
}

/** Folders in a home that are an installation as a whole, with what else each needs. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '.asdf': [],
  '.bun': [],
  '.cargo': ['.rustup'],
  '.deno': [],
  '.dotnet': [],
  '.fnm': ['.local/share/fnm'],
  '.foundry': [],
  '.ghcup': [],
  '.juliaup': ['.julia'],
  '.local/bin': ['.local/lib', '.local/share/mise', '.local/share/pipx', '.local/share/pnpm', '.local/share/uv'],
  '.local/share/fnm': [],
  '.local/share/mise': [],
  '.local/share/pnpm': [],
  '.nodenv': [],
  '.nvm': [],
  '.pyenv': [],
  '.rbenv': [],
  '.rustup': [],
  '.rvm': [],
  '.sdkman': [],
  '.volta': [],
  go: []
}
/** Names of the folder within an installation that the search path names. */
const PROGRAMS = new Set(['bin', 'sbin', 'shims', '.bin'])
/** What tells an installation from any folder that has a `bin`. */
const MARKS = ['lib', 'lib64', 'libexec', 'versions']
/** Where sandboxed programs have a folder of their own. */
const TEMPORARY = ['/tmp', '/var/tmp']

export class Toolchains {
  readonly #folders: readonly string[]
  readonly #listings = new Listings()
  #deep: Promise<string[]> | undefined

  constructor(environment: Environment) {
    this.#folders = foldersOf(environment.PATH ?? '', homeOf(environment))
  }

  /** What is to be seen beside a workspace. */
  async beside(root: string): Promise<Seen> {
    this.#deep ??= credentialsIn(this.#folders)
    const deep = await this.#deep
    const folders = this.#folders.filter(folder => !isBeneath(folder, root) && existsSync(folder))
    const isSeen = (file: string) => !isBeneath(file, root) && folders.some(folder => isBeneath(file, folder))
    // Where a link leads is hidden, if it is seen at all: nothing can be put over the link itself.
    const hidden = [...deep, ...folders.flatMap(this.#listings.credentials)]
      .flatMap(file => realIfThere(file) ?? [])
      .filter(isSeen)
    return { folders, hidden: [...new Set(hidden)] }
  }
}

function foldersOf(searchPath: string, home: string): string[] {
  const wanted = searchPath
    .split(path.delimiter)
    .filter(folder => path.isAbsolute(folder))
    .map(folder => path.resolve(folder))
    .flatMap(folder => installation(folder, home))
    .flatMap(folder => [folder, real(folder)])
    .filter(folder => !isTooMuch(folder, home))
  const all = [...new Set(wanted)]
  return all.filter(folder => !all.some(other => other !== folder && isBeneath(folder, other)))
}

function installation(folder: string, home: string): string[] {
  for (const [name, companions] of Object.entries(KNOWN)) {
    const within = homeAbove(folder, name) ?? home
    const whole = path.join(within, name)
    if (isBeneath(folder, whole)) return [whole, ...companions.map(other => path.join(within, other))]
  }
  const prefix = path.dirname(folder)
  if (!PROGRAMS.has(path.basename(folder))) return [folder]
  if (path.basename(prefix) === 'node_modules') return [prefix]
  const isInstallation = MARKS.some(mark => existsSync(path.join(prefix, mark)))
  return [isInstallation && !existsSync(path.join(prefix, '.git')) ? prefix : folder]
}

/** The server may run with programs of another home than its own. */
function homeAbove(folder: string, name: string): string | undefined {
  if (!name.startsWith('.')) return undefined
  const at = `${folder}/`.indexOf(`/${name}/`)
  return at > 0 ? folder.slice(0, at) : undefined
}

/** A search path may name anything; the system, the home itself and what holds them stay out. */
const isTooMuch = (folder: string, home: string) =>
  coversSystem(folder) || [home, real(home), ...TEMPORARY].some(other => isBeneath(other, folder))

interface Listing {
  /** Undefined where the folder may have changed again within the time that the disk tells apart. */
  stamp: string | undefined
  credentials: string[]
}

/** What lies directly in folders, looked at for every command: whoever logs in somewhere does so here. */
class Listings {
  readonly #known = new Map<string, Listing>()

  credentials = (folder: string): string[] => {
    try {
      const stat = statSync(folder, { bigint: true })
      const stamp = stampOf(stat)
      const known = this.#known.get(folder)
      if (known?.stamp === stamp) return known.credentials
      const isSure = !isFresh(stat)
      const names = readdirSync(folder).map(name => path.join(folder, name))
      const credentials = names.filter(isCredential)
      this.#known.set(folder, { stamp: isSure ? stamp : undefined, credentials })
      return credentials
    } catch {
      return []
    }
  }
}
