// Folders that tools make again from other files. Undo does not hold them: they are large, and change with every run.

/**
 * `dependencies`: installed packages, which other programs execute. `cache`: what a program stores to be faster, or a report of its
 * latest run. `output`: what a build tool makes, and needs for its next run.
 */
type RegeneratedKind = 'dependencies' | 'cache' | 'output'

const named = (kind: RegeneratedKind, names: string): [string, RegeneratedKind][] =>
  names.split(' ').map(name => [name, kind])

/** Names that stand for nothing else. */
const BY_NAME: ReadonlyMap<string, RegeneratedKind> = new Map([
  ...named('dependencies', 'node_modules bower_components jspm_packages .pnpm-store .yarn'),
  ...named('dependencies', 'site-packages dist-packages __pypackages__ .eggs .venv .tox .nox'),
  ...named(
    'cache',
    '__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .gradle .parcel-cache .turbo .nyc_output'
  ),
  ...named('cache', '.cache .angular .vite .vitest'),
  ...named('output', '.next .nuxt .svelte-kit .dart_tool')
])

/** Returns the names of folders that are of these kinds wherever they are. */
export const regeneratedNames = (...kinds: readonly RegeneratedKind[]): string[] =>
  [...BY_NAME].filter(([, kind]) => kinds.includes(kind)).map(([name]) => name)

/** Names of folders that git must ignore to count. */
const IF_IGNORED: ReadonlySet<string> = new Set(['venv', 'env', 'virtualenv', 'vendor', 'Pods', 'deps', 'Carthage'])

/** Marks a folder as a cache, by the specification for such tags; cargo writes it. */
const CACHE_TAG = 'CACHEDIR.TAG'
const TAGGED = 'target'

/** Facts about a folder besides its name. */
interface FolderFacts {
  isIgnored: boolean
  /** Returns true if it contains a file of that name. */
  contains(name: string): boolean
}

/** Returns the kind of a folder; undefined if undo holds it. */
export function regeneratedKind(name: string, { isIgnored, contains }: FolderFacts): RegeneratedKind | undefined {
  if (isIgnored && IF_IGNORED.has(name)) return 'dependencies'
  if (isIgnored && name === TAGGED && contains(CACHE_TAG)) return 'output'
  return BY_NAME.get(name)
}
