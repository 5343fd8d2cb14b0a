// Classifies files by path for code search: sources first, tests and texts slightly lower, generated files far lower; unreadable
// ones are excluded.

interface Kind {
  name: 'source' | 'test' | 'prose' | 'data' | 'example' | 'generated' | 'vendored'
  /** Weight of a hit, relative to one in a source. */
  weight: number
  paths: readonly RegExp[]
}

/** Never searched: files generated for tools. */
const EXCLUDED_PATHS: readonly RegExp[] = [
  /\.min\.\w+$/i,
  /\.(?:map|lock|snap|svg|csv|tsv|log|ipynb|geojson|po|xlf)$/i,
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|\.pnp\.[cm]?js|flake\.lock)$/i
]
/** The first match applies. */
const KINDS: readonly Kind[] = [
  {
    name: 'vendored',
    weight: 0.3,
    paths: [/(?:^|\/)(?:node_modules|vendor|vendored|third[_-]party|external|bower_components|Pods)\//i]
  },
  {
    name: 'generated',
    weight: 0.3,
    paths: [
      /(?:^|\/)(?:dist|build|out|target|generated|gen)\//i,
      /(?:\.pb\.\w+|_pb2(?:_grpc)?\.pyi?|\.g\.\w+|[._-]generated\.\w+)$/i
    ]
  },
  {
    name: 'test',
    weight: 0.6,
    paths: [
      /(?:^|\/)(?:tests?|__tests__|specs?|testing|testdata|fixtures?|__mocks__|mocks?|e2e|scenarios)\//i,
      /[._-](?:test|spec)\.\w+$/i,
      /(?:^|\/)(?:test_[^/]*\.py|conftest\.py)$/i,
      /_(?:test|spec)\.\w+$/i,
      /Tests?\.(?:java|kt|cs|swift|scala)$/
    ]
  },
  {
    name: 'example',
    weight: 0.7,
    paths: [/(?:^|\/)(?:bench(?:marks?)?|examples?|samples?|demos?|scripts|tools?\/dev|playground)\//i]
  },
  {
    name: 'prose',
    weight: 0.7,
    paths: [
      /\.(?:md|mdx|markdown|rst|org|adoc|txt|tex|html?)$/i,
      /(?:^|\/)(?:docs?|CHANGELOG|LICENSE|NOTICE)(?:\/|$|\.)/
    ]
  },
  { name: 'data', weight: 0.5, paths: [/\.(?:json|jsonc|json5|ya?ml|toml|xml|ini|cfg|conf|properties)$/i] }
]
const SOURCE: Kind = { name: 'source', weight: 1, paths: [] }

/** A generated file that is marked as such. */
const GENERATED_MARKER = /@generated|\bDO NOT EDIT\b|\bautomatically generated\b|\bauto-?generated\b/i
const GENERATED_MARKER_CHARACTERS = 1_000
/** Maximum average line length of human-readable text. */
const MAX_AVERAGE_LINE_LENGTH = 300
const MIN_DENSE_LENGTH = 2_000

export const isExcluded = (path: string): boolean => EXCLUDED_PATHS.some(pattern => pattern.test(path))

/** Detects minified text, or data in very long lines. */
export function isMinified(text: string): boolean {
  if (text.length < MIN_DENSE_LENGTH) return false
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return text.length / lines > MAX_AVERAGE_LINE_LENGTH
}

/** Returns the weight of a hit, relative to one in a handwritten source. */
export function relevanceWeight(path: string, text: string): number {
  const { weight } = fileKindOf(path)
  return GENERATED_MARKER.test(text.slice(0, GENERATED_MARKER_CHARACTERS)) ? Math.min(weight, 0.3) : weight
}

export const isTestPath = (path: string): boolean => fileKindOf(path).name === 'test'

const fileKindOf = (path: string): Kind =>
  KINDS.find(({ paths }) => paths.some(pattern => pattern.test(path))) ?? SOURCE
