// The arrows between the parts of the house. A new arrow is a decision; it is made here.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { globbySync } from 'globby'
import t from 'tap'

/** Part of src → the parts it may import. `tools` may not import each other: a tool stands alone. */
const MAY: Record<string, readonly string[]> = {
  main: ['cli', 'config', 'errors'],
  cli: ['app', 'cli', 'client', 'config', 'host', 'errors'],
  client: ['client', 'calls', 'events', 'routes', 'errors', 'host'],
  app: ['routes', 'calls', 'catalog', 'events', 'tools', 'tool', 'host', 'config', 'errors'],
  routes: ['routes', 'calls', 'catalog', 'events', 'config', 'errors', 'host', 'text'],
  calls: ['calls', 'tool', 'host', 'events', 'config', 'errors', 'text', 'shell'],
  catalog: ['catalog', 'tool', 'host', 'config', 'errors', 'text'],
  events: ['events', 'host'],
  tools: ['tool', 'host', 'errors', 'text'],
  tool: ['tool', 'host'],
  host: ['host', 'config', 'errors', 'text'],
  config: ['config', 'errors', 'host'],
  authoring: ['authoring'],
  shell: ['shell', 'text'],
  text: ['text'],
  errors: []
}
/** Arrows that carry types alone: nothing of the other part is loaded. */
const TYPES_ONLY = new Set([
  'client → calls',
  'client → events',
  'client → routes',
  'tool → host',
  'routes → host',
  'events → host',
  'calls → host'
])
/** What only some parts may load. */
const OWNERS: Record<string, readonly string[]> = {
  fastify: ['app', 'routes'],
  '@fastify/sse': ['app', 'routes'],
  'node:fs': ['host', 'app', 'config', 'cli'],
  'node:fs/promises': ['host', 'cli', 'config'],
  'node:child_process': ['host', 'cli'],
  'node:net': ['host', 'cli', 'routes'],
  // Nobody: src/host/http.ts tells why.
  'node:http': [],
  'node:sqlite': ['host']
}

const IMPORT = /^(?:import|export)(?<types> type)? [^'"]*?from '(?<specifier>[^']+)'|import\('(?<lazy>[^']+)'\)/gm

const files = globbySync('src/**/*.ts')

t.ok(files.length > 50, 'there is a house to look at')

for (const file of files) {
  const from = part(file)
  const text = readFileSync(file, 'utf8')
  if (from !== 'main') t.notMatch(text, 'process.env', `${file} is given the environment`)
  for (const { groups } of text.matchAll(IMPORT)) {
    const { types, specifier = groups!.lazy! } = groups!
    if (!specifier.startsWith('.')) {
      const owners = OWNERS[specifier]
      if (owners && !types) t.ok(owners.includes(from), `${file} may load ${specifier}`)
      continue
    }
    const target = path.join(path.dirname(file), specifier)
    const to = part(target)
    if (from === 'tools' && to === 'tools') {
      t.ok(
        path.basename(file) === 'index.ts' ||
          (path.dirname(file) === path.dirname(target) && !path.basename(target).includes('_')),
        `${file} stands alone, without ${specifier}`
      )
      continue
    }
    t.ok(MAY[from]?.includes(to), `${from} → ${to} is an arrow of the house (${file})`)
    if (TYPES_ONLY.has(`${from} → ${to}`))
      t.ok(types || onlyTypes(file, specifier), `${from} → ${to} carries types alone (${file})`)
  }
}

for (const file of globbySync('web/**/*.{ts,tsx}')) {
  for (const { groups } of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const { specifier = groups!.lazy! } = groups!
    const target = path.join(path.dirname(file), specifier)
    if (specifier.startsWith('.'))
      t.ok(target.startsWith('web/') || target === 'src/client/client.ts', `${file} knows the server by its client`)
    else t.notMatch(specifier, /^(?:node:|toolgate\/(?!client$))/, `${file} runs in browsers`)
  }
}

function part(file: string) {
  return path
    .relative('src', file)
    .split(path.sep)[0]!
    .replace(/\.[jt]s$/, '')
}

/** Whether every name of an import is marked as a type. */
function onlyTypes(file: string, specifier: string) {
  const text = readFileSync(file, 'utf8')
  const names = new RegExp(`(?:import|export) \\{([^}]*)\\} from '${specifier.replaceAll('.', '\\.')}'`).exec(text)?.[1]
  return (names ?? 'a value').split(',').every(name => name.trim() === '' || name.trim().startsWith('type '))
}
