// Finds a user's toolchains outside the system's folders: the programs on the server's own search path, and the installation
// folders that they need. Variables set by a call have no effect.
import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { homeFolder } from '../../server/xdg.ts'
import { isRacyStat, statFingerprint } from '../files/fingerprint.ts'
import type { Environment } from '../processes/environment.ts'
import { overlapsSystem } from './bubblewrap/system-folders.ts'
import { findCredentials, isCredential } from './credentials.ts'
import { isWithin, realPath, realPathIfExists } from './path-within.ts'

export interface ToolchainPaths {
  /** Folders that are visible. */
  folders: string[]
  /** Credentials in them. */
  hidden: string[]
}

/** Folders in a home that are complete installations, with the further paths that each needs. */
const KNOWN_INSTALLATIONS: Readonly<Record<string, readonly string[]>> = {
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
const BIN_FOLDER_NAMES = new Set(['bin', 'sbin', 'shims', '.bin'])
/** Entries that distinguish an installation from any folder with a `bin`. */
const INSTALLATION_MARKERS = ['lib', 'lib64', 'libexec', 'versions']
/** Sandboxed programs have their own folder at these paths. */
const TEMPORARY_FOLDERS = ['/tmp', '/var/tmp']

export class Toolchains {
  readonly #folders: readonly string[]
  readonly #listings = new CredentialListings()
  #nestedCredentials: Promise<string[]> | undefined

  constructor(environment: Environment) {
    this.#folders = installationFolders(environment.PATH ?? '', homeFolder(environment))
  }

  /** Returns the paths to expose besides a workspace. */
  async pathsFor(root: string): Promise<ToolchainPaths> {
    this.#nestedCredentials ??= findCredentials(this.#folders)
    const deep = await this.#nestedCredentials
    const folders = this.#folders.filter(folder => !isWithin(folder, root) && existsSync(folder))
    const isSeen = (file: string) => !isWithin(file, root) && folders.some(folder => isWithin(file, folder))
    // The target of a link is hidden if it is visible at all: the link itself cannot be covered.
    const hidden = [...deep, ...folders.flatMap(this.#listings.credentials)]
      .flatMap(file => realPathIfExists(file) ?? [])
      .filter(isSeen)
    return { folders, hidden: [...new Set(hidden)] }
  }
}

function installationFolders(searchPath: string, home: string): string[] {
  const wanted = searchPath
    .split(path.delimiter)
    .filter(folder => path.isAbsolute(folder))
    .map(folder => path.resolve(folder))
    .flatMap(folder => findInstallation(folder, home))
    .flatMap(folder => [folder, realPath(folder)])
    .filter(folder => !isTooBroad(folder, home))
  const all = [...new Set(wanted)]
  return all.filter(folder => !all.some(other => other !== folder && isWithin(folder, other)))
}

function findInstallation(folder: string, home: string): string[] {
  for (const [name, companions] of Object.entries(KNOWN_INSTALLATIONS)) {
    const within = homeContaining(folder, name) ?? home
    const whole = path.join(within, name)
    if (isWithin(folder, whole)) return [whole, ...companions.map(other => path.join(within, other))]
  }
  const prefix = path.dirname(folder)
  if (!BIN_FOLDER_NAMES.has(path.basename(folder))) return [folder]
  if (path.basename(prefix) === 'node_modules') return [prefix]
  const isInstallation = INSTALLATION_MARKERS.some(mark => existsSync(path.join(prefix, mark)))
  return [isInstallation && !existsSync(path.join(prefix, '.git')) ? prefix : folder]
}

/** The server may use programs of another home than its own. */
function homeContaining(folder: string, name: string): string | undefined {
  if (!name.startsWith('.')) return undefined
  const at = `${folder}/`.indexOf(`/${name}/`)
  return at > 0 ? folder.slice(0, at) : undefined
}

/** A search path may name anything; the system, the home itself and their ancestors are excluded. */
const isTooBroad = (folder: string, home: string) =>
  overlapsSystem(folder) || [home, realPath(home), ...TEMPORARY_FOLDERS].some(other => isWithin(other, folder))

interface Listing {
  /** Undefined if the folder may have changed again within the timestamp granularity. */
  fingerprint: string | undefined
  credentials: string[]
}

/** Direct entries of folders, checked for every command: a login creates its credentials there. */
class CredentialListings {
  readonly #known = new Map<string, Listing>()

  credentials = (folder: string): string[] => {
    try {
      const stat = statSync(folder, { bigint: true })
      const stamp = statFingerprint(stat)
      const known = this.#known.get(folder)
      if (known?.fingerprint === stamp) return known.credentials
      const isSure = !isRacyStat(stat)
      const names = readdirSync(folder).map(name => path.join(folder, name))
      const credentials = names.filter(isCredential)
      this.#known.set(folder, { fingerprint: isSure ? stamp : undefined, credentials })
      return credentials
    } catch {
      return []
    }
  }
}
