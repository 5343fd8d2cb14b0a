// Host process of a module; see module-protocol.ts. It loads only files of the module's folder that the server has hashed: a file
// that was changed or added since is refused.
import { createHash } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { findPackageJSON, registerHooks } from 'node:module'
import { Socket } from 'node:net'
import { isAbsolute, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type {
  ModuleDescription,
  ModuleError,
  ModuleMessage,
  ModuleProgress,
  ModuleRequest,
  StartMessage
} from './module-protocol.ts'

const [TO_SERVER, FROM_SERVER] = [3, 4]

const lines = createInterface({ input: new Socket({ fd: FROM_SERVER, readable: true, writable: false }) })
const inFlight = new Map<number, AbortController>()
let module: Record<string, unknown> = {}
let start: StartMessage | undefined
/** The last loaded file of the folder: a syntax error does not always name its file. */
let lastLoaded: string | undefined

lines.on('line', line => {
  const message = JSON.parse(line) as StartMessage | ModuleRequest
  if ('file' in message) void loadModule(message)
  else if ('cancel' in message) inFlight.get(message.cancel)?.abort(new DOMException('Cancelled.', 'AbortError'))
  else void handleCall(message)
})
// It ends with the server.
lines.on('close', () => process.exit())

async function loadModule(message: StartMessage) {
  start = message
  registerHooks({ resolve, load })
  try {
    const all = (await import(pathToFileURL(message.file).href)) as { default?: unknown }
    module = assertObject(all.default)
    send({ ready: describeModule() })
  } catch (error) {
    send({ fault: toModuleError(error) })
    process.exit(1)
  }
}

async function handleCall({ id, call, args, context }: Extract<ModuleRequest, { call: string }>) {
  const abort = new AbortController()
  inFlight.set(id, abort)
  const report = (update: ModuleProgress) => inFlight.has(id) && send({ id, told: update })
  const own = {
    ...context,
    signal: abort.signal,
    progress: (update: { progress?: number; message?: string }) => report({ ...update }),
    log: (...words: unknown[]) => report({ log: words.map(toText).join(' ') })
  }
  try {
    const result: unknown = await (module[call] as (...all: unknown[]) => unknown)(...args, own)
    send({ id, result: result === undefined ? null : result })
  } catch (error) {
    send({ id, error: toModuleError(error) })
  } finally {
    inFlight.delete(id)
  }
}

type ResolveHook = NonNullable<Parameters<typeof registerHooks>[0]['resolve']>
type LoadHook = NonNullable<Parameters<typeof registerHooks>[0]['load']>

const resolve: ResolveHook = (specifier, context, next) => {
  const own = start!.own[specifier]
  if (own !== undefined) return { url: pathToFileURL(own).href, shortCircuit: true }
  const found = next(specifier, context)
  const isPath = /^(?:\.|\/|file:)/.test(specifier)
  if (pathInFolder(context.parentURL) === undefined || pathInFolder(found.url) !== undefined) return found
  if (!isPath && !isProjectFile(found.url)) return found
  throw new Error(
    `The module imports ${specifier}, which is outside the module's folder. Imports by path must stay inside this folder.`
  )
}

/** The project's own package file may give its files names like those of packages. */
function isProjectFile(url: string): boolean {
  const file = url.startsWith('file:') ? findPackageJSON(url) : undefined
  return file !== undefined && file === findPackageJSON(pathToFileURL(start!.file))
}

const load: LoadHook = (url, context, next) => {
  const place = pathInFolder(url)
  if (place === undefined) return next(url, context)
  lastLoaded = place
  const source = readFileSync(fileURLToPath(url))
  const is = createHash('sha256').update(source).digest('hex')
  if (start!.files[place] !== is) throw new Error(`${place} has changed since it was checked.`)
  return { ...next(url, context), source }
}

/** Returns the path of a file in the module's folder; undefined for all others, including packages installed there. */
function pathInFolder(url: string | undefined): string | undefined {
  if (!url?.startsWith('file:')) return undefined
  const place = relative(start!.folder, fileURLToPath(url))
  if (place.startsWith('..') || isAbsolute(place)) return undefined
  return place.split(sep).includes('node_modules') ? undefined : place
}

function assertObject(value: unknown): Record<string, unknown> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Error(
    value === undefined ? 'The module has no default export.' : 'The default export of the module is not an object.'
  )
}

function describeModule(): ModuleDescription {
  const functions = Object.keys(module).filter(name => typeof module[name] === 'function')
  return { facts: JSON.parse(JSON.stringify(module)) as Record<string, unknown>, functions }
}

function toModuleError(error: unknown): ModuleError {
  if (!(error instanceof Error)) return { message: toText(error) }
  const where = findLocation(error.stack ?? '') ?? (error instanceof SyntaxError ? lastLoaded : undefined)
  return { message: error.message || error.name, ...(where !== undefined && { where }) }
}

/** Returns the first location in the module's folder in a stack trace. */
function findLocation(stack: string): string | undefined {
  for (const [, url, path, line] of stack.matchAll(/(?:(file:\/\/[^\s()]+?)|^(\/.+?)):(\d+)/gm)) {
    const place = pathInFolder(url ?? pathToFileURL(path!).href)
    if (place !== undefined) return `${place}:${line}`
  }
  return undefined
}

const toText = (value: unknown) => (typeof value === 'string' ? value : inspect(value))

function send(message: ModuleMessage) {
  let rest = Buffer.from(`${JSON.stringify(message)}\n`)
  while (rest.length > 0) rest = rest.subarray(writeSync(TO_SERVER, rest))
}
