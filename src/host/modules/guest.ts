// The program that a module runs in; see protocol.ts. It loads nothing of the module's folder but what the server has
// seen there: a file that has changed since, or that came later, is refused.
import { createHash } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'
import { Socket } from 'node:net'
import { isAbsolute, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { Described, FromModule, ModuleFault, Start, Told, ToModule } from './module-protocol.ts'

const [TO_SERVER, FROM_SERVER] = [3, 4]

const lines = createInterface({ input: new Socket({ fd: FROM_SERVER, readable: true, writable: false }) })
const running = new Map<number, AbortController>()
let module: Record<string, unknown> = {}
let start: Start | undefined
/** The file of the folder that was loaded last: where code cannot be read, its own fault does not always name it. */
let loaded: string | undefined

lines.on('line', line => {
  const message = JSON.parse(line) as Start | ToModule
  if ('file' in message) void begin(message)
  else if ('cancel' in message) running.get(message.cancel)?.abort(new DOMException('Cancelled.', 'AbortError'))
  else void answer(message)
})
// Without a server nobody needs it.
lines.on('close', () => process.exit())

async function begin(message: Start) {
  start = message
  registerHooks({ resolve, load })
  try {
    const all = (await import(pathToFileURL(message.file).href)) as { default?: unknown }
    module = asObject(all.default)
    send({ ready: described() })
  } catch (error) {
    send({ fault: faultOf(error) })
    process.exit(1)
  }
}

async function answer({ id, call, args, context }: Extract<ToModule, { call: string }>) {
  const abort = new AbortController()
  running.set(id, abort)
  const tell = (told: Told) => running.has(id) && send({ id, told })
  const own = {
    ...context,
    signal: abort.signal,
    progress: (told: { progress?: number; message?: string }) => tell({ ...told }),
    log: (...words: unknown[]) => tell({ log: words.map(asText).join(' ') })
  }
  try {
    const result: unknown = await (module[call] as (...all: unknown[]) => unknown)(...args, own)
    send({ id, result: result === undefined ? null : result })
  } catch (error) {
    send({ id, error: faultOf(error) })
  } finally {
    running.delete(id)
  }
}

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>
type Load = NonNullable<Parameters<typeof registerHooks>[0]['load']>

const resolve: Resolve = (specifier, context, next) => {
  const own = start!.own[specifier]
  if (own !== undefined) return { url: pathToFileURL(own).href, shortCircuit: true }
  const found = next(specifier, context)
  const isPath = /^(?:\.|\/|file:)/.test(specifier)
  if (placeOf(context.parentURL) === undefined || placeOf(found.url) !== undefined) return found
  if (!isPath && !isOfProject(found.url)) return found
  throw new Error(`It imports ${specifier}, which is outside its folder: what it imports by path must be inside.`)
}

/** The project's own package file may give its files names like those of packages. */
function isOfProject(url: string): boolean {
  const file = url.startsWith('file:') ? findPackageJSON(url) : undefined
  return file !== undefined && file === findPackageJSON(pathToFileURL(start!.file))
}

const load: Load = (url, context, next) => {
  const place = placeOf(url)
  if (place === undefined) return next(url, context)
  loaded = place
  const source = readFileSync(fileURLToPath(url))
  const is = createHash('sha256').update(source).digest('hex')
  if (start!.files[place] !== is) throw new Error(`${place} is not as it was when it was looked at.`)
  return { ...next(url, context), source }
}

/** The path of a file in the module's folder; undefined for all else, packages that are installed there too. */
function placeOf(url: string | undefined): string | undefined {
  if (!url?.startsWith('file:')) return undefined
  const place = relative(start!.folder, fileURLToPath(url))
  if (place.startsWith('..') || isAbsolute(place)) return undefined
  return place.split(sep).includes('node_modules') ? undefined : place
}

function asObject(value: unknown): Record<string, unknown> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error(value === undefined ? 'It has no default export.' : 'Its default export is no object.')
}

function described(): Described {
  const functions = Object.keys(module).filter(name => typeof module[name] === 'function')
  return { facts: JSON.parse(JSON.stringify(module)) as Record<string, unknown>, functions }
}

function faultOf(error: unknown): ModuleFault {
  if (!(error instanceof Error)) return { message: asText(error) }
  const where = placeIn(error.stack ?? '') ?? (error instanceof SyntaxError ? loaded : undefined)
  return { message: error.message || error.name, ...(where !== undefined && { where }) }
}

/** The first place of the module's folder in a stack, with its line. */
function placeIn(stack: string): string | undefined {
  for (const [, url, path, line] of stack.matchAll(/(?:(file:\/\/[^\s()]+?)|^(\/.+?)):(\d+)/gm)) {
    const place = placeOf(url ?? pathToFileURL(path!).href)
    if (place !== undefined) return `${place}:${line}`
  }
  return undefined
}

const asText = (value: unknown) => (typeof value === 'string' ? value : inspect(value))

function send(message: FromModule) {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`)
  while (rest.length > 0) rest = rest.subarray(writeSync(TO_SERVER, rest))
}
