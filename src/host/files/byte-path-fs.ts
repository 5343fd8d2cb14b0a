// Functions of `node:fs` for files of a workspace, whose names need not be UTF-8: paths are as `byte-names.ts` spells them. Everything
// else is as in `node:fs`.
import fs from 'node:fs'
import { spellBytes, toSystemPath } from '../../text/byte-names.ts'

type PathFunction = (path: never, ...more: never[]) => unknown

/** Converts the first argument of a function, the path. */
const withPath = <F extends PathFunction>(act: F): F =>
  ((path: unknown, ...more: never[]) => act(toPathArgument(path) as never, ...more)) as unknown as F

/** Converts both paths of a function. */
const withPaths = <F extends PathFunction>(act: F): F =>
  ((one: unknown, other: unknown, ...more: never[]) =>
    act(toPathArgument(one) as never, toPathArgument(other) as never, ...more)) as unknown as F

const toPathArgument = (path: unknown) => (typeof path === 'string' ? toSystemPath(path) : path)

export const accessSync = withPath(fs.accessSync)
export const chmodSync = withPath(fs.chmodSync)
export const existsSync = withPath(fs.existsSync)
export const lstatSync = withPath(fs.lstatSync)
export const mkdirSync = withPath(fs.mkdirSync)
export const openSync = withPath(fs.openSync)
export const readFileSync = withPath(fs.readFileSync)
export const rmdirSync = withPath(fs.rmdirSync)
export const statSync = withPath(fs.statSync)
export const unlinkSync = withPath(fs.unlinkSync)
export const writeFileSync = withPath(fs.writeFileSync)
export const copyFileSync = withPaths(fs.copyFileSync)
export const linkSync = withPaths(fs.linkSync)
export const renameSync = withPaths(fs.renameSync)
export const symlinkSync = withPaths(fs.symlinkSync)

export const readlinkSync = (path: string): string =>
  spellBytes(fs.readlinkSync(toSystemPath(path), { encoding: 'buffer' }))

export const realpathSync = (path: string): string =>
  spellBytes(fs.realpathSync.native(toSystemPath(path), { encoding: 'buffer' }))

export function readdirSync(path: string): string[]
export function readdirSync(path: string, options: { withFileTypes: true }): fs.Dirent[]
export function readdirSync(path: string, options?: { withFileTypes: true }): string[] | fs.Dirent[] {
  const folder = toSystemPath(path)
  if (!options) {
    const names = fs.readdirSync(folder)
    return names.some(isDoubtful) ? fs.readdirSync(folder, { encoding: 'buffer' }).map(spellBytes) : names
  }
  const entries = fs.readdirSync(folder, options)
  if (!entries.some(({ name }) => isDoubtful(name))) return entries
  return fs
    .readdirSync(folder, { ...options, encoding: 'buffer' })
    .map(entry => Object.assign(entry as unknown as fs.Dirent, { name: spellBytes(entry.name) }))
}

/** Returns the entries of a folder; none if it cannot be read. */
export function listReadable(path: string): fs.Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Checks if a name that was read as text may have another spelling. */
const isDoubtful = (name: string) => name.includes('\ufffd') || name.includes('\\x')

/** Watches a folder; `listener` receives the spelled name of the entry. */
export const watch = (
  folder: string,
  { persistent }: { persistent: boolean },
  listener: (event: fs.WatchEventType, name: string | null) => void
): fs.FSWatcher =>
  fs.watch(toSystemPath(folder), { persistent, encoding: 'buffer' }, (event, name) =>
    listener(event, name && spellBytes(name))
  )
