// Tests of the imports between parts of src, which must never form a cycle. A new import between parts is a decision, made here.
// tier: quick
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { globbySync } from 'globby'
import t from 'tap'

/** Parts with a sub-folder per topic: each sub-folder has its own row. */
const SPLIT = ['engine', 'host']

/**
 * Part of src → the parts it may import; `host/*` means `host` with all of its sub-folders. A part may import from itself.
 * Categories of `tools` may not import each other, nor a tool another one.
 */
const MAY: Record<string, readonly string[]> = {
  main: ['cli'],
  cli: [
    'app',
    'client',
    'config',
    'errors',
    'host/*',
    'hub',
    'node-client',
    'notify',
    'server',
    'store',
    'text',
    'uplink'
  ],
  // Runs in browsers too.
  client: [],
  'node-client': ['client', 'host/processes', 'server'],
  app: [
    'catalog',
    'config',
    'engine/*',
    'events',
    'host/*',
    'notify',
    'routes',
    'server',
    'store',
    'telemetry',
    'tool',
    'tools',
    'uplink',
    'steady-time'
  ],
  // Loaded only by its command: nothing of a server.
  hub: ['errors', 'routes', 'text', 'uplink'],
  telemetry: ['events'],
  notify: ['config', 'errors', 'events', 'host/*', 'server', 'store', 'text', 'steady-time'],
  uplink: ['client', 'errors', 'events', 'server'],
  routes: ['catalog', 'engine/*', 'errors', 'events', 'host/*', 'notify', 'server', 'text'],
  engine: [
    'config',
    'engine/*',
    'errors',
    'events',
    'host/*',
    'shell',
    'store',
    'text',
    'tool',
    'steady-time',
    'time-limit'
  ],
  'engine/approvals': [
    'config',
    'engine',
    'engine/editors',
    'engine/hooks',
    'engine/policy',
    'errors',
    'events',
    'host/*',
    'store',
    'text',
    'tool',
    'steady-time'
  ],
  'engine/diagnostics': ['engine', 'engine/approvals', 'events', 'host/*'],
  'engine/editors': ['engine', 'engine/policy', 'errors', 'events', 'host/*', 'text', 'steady-time'],
  'engine/hooks': ['config', 'engine', 'engine/approvals', 'engine/policy', 'errors', 'host/*', 'text'],
  'engine/jobs': ['engine', 'engine/approvals', 'engine/output', 'errors', 'events', 'host/*', 'store', 'text', 'tool'],
  'engine/output': ['engine', 'events', 'store', 'tool'],
  'engine/session-changes': ['engine', 'errors', 'text', 'tool'],
  'engine/policy': ['config', 'errors', 'host/*', 'shell', 'text', 'tool'],
  catalog: ['config', 'errors', 'host/*', 'text', 'tool'],
  events: ['host/*', 'store'],
  tools: ['errors', 'host/*', 'text', 'tool'],
  tool: ['host/*'],
  host: ['config', 'host/*', 'server'],
  'host/code': ['config', 'errors', 'host', 'host/egress', 'host/files', 'host/processes', 'host/watch', 'text'],
  'host/compute': ['errors', 'text', 'time-limit'],
  'host/editors': ['errors', 'host', 'host/files', 'text'],
  'host/egress': ['errors', 'host', 'host/processes', 'host/sandbox', 'text'],
  'host/files': ['errors', 'host', 'host/editors', 'host/undo-store', 'host/watch', 'text'],
  'host/git': ['errors', 'host', 'host/files', 'host/processes', 'host/sandbox', 'server', 'text'],
  'host/hooks': ['errors', 'host', 'host/modules', 'host/processes', 'host/sandbox', 'host/trust'],
  'host/lsp': [
    'config',
    'errors',
    'host',
    'host/editors',
    'host/files',
    'host/processes',
    'host/sandbox',
    'host/search',
    'host/watch',
    'server',
    'text'
  ],
  'host/mcp': ['config', 'errors', 'host', 'host/egress', 'host/processes', 'server', 'text'],
  'host/modules': ['errors', 'host', 'host/processes', 'host/sandbox', 'host/secrets', 'host/trust'],
  'host/ports': ['errors', 'host', 'host/egress', 'host/processes', 'host/sandbox'],
  'host/processes': ['errors', 'host', 'host/egress', 'host/files', 'host/ports', 'host/sandbox'],
  'host/sandbox': [
    'config',
    'errors',
    'host',
    'host/egress',
    'host/files',
    'host/ports',
    'host/processes',
    'host/watch',
    'server',
    'text'
  ],
  'host/search': ['errors', 'host', 'host/files', 'host/processes', 'host/watch', 'text', 'time-limit'],
  'host/secrets': ['config', 'host', 'host/files', 'host/processes', 'text'],
  'host/transfers': ['errors', 'host/files', 'host/undo-store'],
  'host/trust': ['errors', 'host', 'host/files', 'host/modules', 'host/sandbox', 'server'],
  'host/undo-store': ['errors', 'host', 'host/files', 'host/processes', 'host/watch', 'text'],
  'host/watch': ['errors', 'host', 'host/files', 'text'],
  'host/web': ['config', 'errors', 'host', 'host/egress', 'text'],
  store: ['errors', 'host', 'steady-time'],
  server: ['config', 'errors', 'host/processes', 'host/secrets', 'steady-time'],
  config: ['host', 'host/egress', 'host/files', 'host/sandbox', 'host/trust', 'server', 'text'],
  authoring: [],
  // What travels: it imports typebox alone.
  protocol: [],
  shell: ['text'],
  text: [],
  'steady-time': [],
  'time-limit': [],
  errors: []
}
/** Parts that every other part may import. */
const SHARED = ['protocol']
/** Type-only imports: nothing of the other part is loaded. */
const TYPES_ONLY = [
  'client → engine',
  'client → tool',
  'engine → host',
  'engine → store',
  'events → host',
  'events → store',
  'routes → host',
  'routes → notify',
  'routes → server',
  'tool → host'
]
/** Modules restricted to some parts. */
const OWNERS: Record<string, readonly string[]> = {
  fastify: ['app', 'hub', 'routes'],
  pg: ['hub'],
  'openid-client': ['hub'],
  '@electric-sql/pglite': ['hub'],
  '@opentelemetry/sdk-trace': ['telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['telemetry'],
  '@fastify/sse': ['app', 'routes'],
  'node:fs': ['app', 'cli', 'config', 'host', 'notify', 'server', 'store', 'uplink'],
  'node:fs/promises': ['cli', 'config', 'host'],
  'node:child_process': ['cli', 'host'],
  'node:net': ['cli', 'host', 'routes', 'server'],
  // Allowed nowhere: see src/host/http.ts.
  'node:http': [],
  'node:sqlite': ['host', 'store']
}

const IMPORT =
  /^(?:import|export)(?<types> type)? (?:[\w$]+, )?(?:\{[^}]*\}|\*(?: as [\w$]+)?|[\w$]+) from '(?<specifier>[^']+)'|import\('(?<lazy>[^']+)'\)/gm

/** Files that start programs without execa: the spawn helper, programs that are passed on as text, and forks of this program. */
const WITHOUT_EXECA = [
  'src/host/compute/pdf-reader.ts',
  'src/host/files/attributes/attribute-tools.ts',
  'src/host/processes/spawner/helper-start.ts',
  'src/host/processes/spawner/spawn-helper.ts',
  'src/host/processes/spawner/spawner.ts',
  'src/host/sandbox/probe-attempts.ts',
  'src/host/sandbox/run-inside.ts'
]

/** Files that each start of a server loads; other code waits for its first use, which keeps the start short and an idle server small. */
const START = ['src/main.ts', 'src/cli/commands/server/serve.ts', 'src/app.ts']
const PACKAGES_OF_START = [
  '@fastify/sse',
  '@vscode/ripgrep',
  'ajv',
  'ajv-formats',
  'chardet',
  'commander',
  'diff',
  'fastest-levenshtein',
  'fastify',
  'iconv-lite',
  'ipaddr.js',
  'node-diff3',
  'pino',
  'range-parser',
  'typebox'
]

const files = globbySync('src/**/*.ts')
const importsByFile = new Map<string, string[]>()
const parts = new Set(files.map(partOf))
/** Imports between parts that there are. */
const used = new Set<string>()

t.ok(files.length > 50, 'there are files to check')
t.same([...parts].sort(), Object.keys(MAY).sort(), 'each part has a row')

for (const file of files) {
  const from = partOf(file)
  const text = readFileSync(file, 'utf8')
  if (!WITHOUT_EXECA.includes(file)) t.notMatch(text, /'node:child_process'/, `${file} starts programs with execa`)
  if (from !== 'main') t.notMatch(text, /(?<![\w.])process\.env/, `${file} is given the environment`)
  for (const { groups } of text.matchAll(IMPORT)) {
    const { types, specifier = groups!.lazy! } = groups!
    if (!specifier.startsWith('.')) {
      if (from === 'protocol') t.equal(specifier, 'typebox', `${file} loads typebox alone`)
      const owners = OWNERS[specifier]
      if (owners && !types) t.ok(owners.includes(topOf(from)), `${file} may load ${specifier}`)
      continue
    }
    const target = path.join(path.dirname(file), specifier)
    importsByFile.set(file, [...(importsByFile.get(file) ?? []), target])
    const to = partOf(target)
    used.add(`${from} → ${to}`).add(`${from} → ${topOf(to)}/*`)
    if (from === 'tools' && to === 'tools') {
      t.ok(
        path.basename(file) === 'index.ts' || (categoryOf(file) === categoryOf(target) && !isTool(target)),
        `${file} stands alone, without ${specifier}`
      )
      continue
    }
    t.ok(from === to || mayImport(from, to), `${from} may import ${to} (${file})`)
    if (TYPES_ONLY.includes(`${topOf(from)} → ${topOf(to)}`))
      t.ok(types || importsOnlyTypes(file, specifier), `${from} imports types alone of ${to} (${file})`)
  }
}

t.same(
  Object.entries(MAY).flatMap(([from, allowed]) =>
    allowed.map(to => `${from} → ${to}`).filter(pair => !used.has(pair))
  ),
  [],
  'no row allows more than there is'
)

t.same(findCycles(importsByFile), [], 'imports form no cycle, those of types included')

t.same(findPackages(START), PACKAGES_OF_START, 'a start loads these packages alone')

for (const file of globbySync(['src/tools/**/*.ts', 'src/catalog/**/*.ts', 'src/tool/*.ts']))
  t.notMatch(
    readFileSync(file, 'utf8'),
    /new Weak(?:Map|Set)\b/,
    `${file} keeps no state of a call: that is in its plan`
  )

const SHARED_WITH_CONSOLE: ReadonlySet<string> = new Set([
  'src/client/client.ts',
  'src/protocol/approval-groups.ts',
  'src/protocol/call-statuses.ts',
  'src/protocol/command-part.ts',
  'src/protocol/format-approval-count.ts',
  'src/protocol/format-rule-limit.ts',
  'src/protocol/narrowest-option.ts',
  'src/protocol/withheld-reasons.ts',
  // Types alone.
  'src/protocol/hub.ts',
  'src/text/escape-invisible.ts',
  'src/text/exact-number.ts'
])
for (const file of globbySync('src/host/files/**/*.ts'))
  t.notMatch(
    readFileSync(file, 'utf8'),
    /\bclass\b[^{]* extends (?!Error\b)|^\s*(?:protected|abstract) /m,
    `${file} composes classes: none extends another class of src`
  )

for (const file of globbySync(['src/routes/**/*.ts', 'src/hub/**/*.ts', 'src/uplink/**/*.ts', 'src/client/**/*.ts']))
  t.notMatch(
    readFileSync(file, 'utf8'),
    /^import (?!type\b)[^']*'typebox'/m,
    `${file} declares no schema: those of requests and responses are in src/protocol`
  )

for (const file of globbySync('web/**/*.{ts,tsx}')) {
  for (const { groups } of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const { specifier = groups!.lazy! } = groups!
    const target = path.join(path.dirname(file), specifier)
    if (specifier.startsWith('.'))
      t.ok(
        target.startsWith('web/') || SHARED_WITH_CONSOLE.has(target),
        `${file} reaches the server through its client, and shares only what depends on nothing`
      )
    else t.notMatch(specifier, /^(?:node:|toolgate\/(?!client$))/, `${file} runs in browsers`)
  }
}

/** Returns the part that a file belongs to: its top folder, with the sub-folder where these have rows of their own. */
function partOf(file: string): string {
  const [top, sub, ...rest] = path.relative('src', file).split(path.sep)
  return SPLIT.includes(top!) && rest.length > 0 ? `${top}/${sub}` : top!.replace(/\.[jt]s$/, '')
}

function topOf(part: string): string {
  return part.split('/')[0]!
}

function mayImport(from: string, to: string): boolean {
  return SHARED.includes(to) || MAY[from]?.some(allowed => allowed === to || allowed === `${topOf(to)}/*`) === true
}

/** Returns the strongly connected components of more than one file, by the algorithm of Tarjan (1972). */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (file: string): number => {
    const index = order.size
    order.set(file, index)
    lowest.set(file, index)
    stack.push(file)
    for (const target of graph.get(file) ?? []) {
      const reached = order.has(target) ? (stack.includes(target) ? order.get(target)! : index) : visit(target)
      lowest.set(file, Math.min(lowest.get(file)!, reached))
    }
    if (lowest.get(file) === index) {
      const component = stack.splice(stack.indexOf(file))
      if (component.length > 1) cycles.push(component.sort())
    }
    return lowest.get(file)!
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return cycles
}

/** Returns the packages that files load, directly or through others, before anything is asked of them. */
function findPackages(start: readonly string[]): string[] {
  const loaded = new Set(start)
  const packages = new Set<string>()
  for (const file of loaded)
    for (const { groups } of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const { types, specifier } = groups!
      if (types || specifier === undefined || specifier.startsWith('node:') || importsOnlyTypes(file, specifier))
        continue
      if (specifier.startsWith('.')) loaded.add(path.join(path.dirname(file), specifier))
      else packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0])
    }
  return [...packages].sort()
}

/** Returns the folder of `src/tools` that a file lies in. */
function categoryOf(file: string): string {
  return path.relative('src/tools', file).split(path.sep)[0]!
}

/** Returns whether a file contains a tool: names of tools have an underscore, those of shared code have none. */
function isTool(file: string): boolean {
  return path.basename(file).includes('_')
}

/** Returns whether every name of an import is marked as a type. */
function importsOnlyTypes(file: string, specifier: string): boolean {
  const text = readFileSync(file, 'utf8')
  const names = new RegExp(`(?:import|export) \\{([^}]*)\\} from '${specifier.replaceAll('.', '\\.')}'`).exec(text)?.[1]
  return (names ?? 'a value').split(',').every(name => name.trim() === '' || name.trim().startsWith('type '))
}
