// What somebody is shown before they trust a file: all that it would bring, as it is written, and which other files of
// the workspace it names. What is trusted is made of the same reading.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { Source } from '../config/config-source.ts'
import { readFileSource } from '../config/file-source.ts'
import { ConfigError, type Fault, faultsIn } from '../config/validation.ts'
import { ModuleFolderFault, readModuleFolder } from '../host/modules/module-folder.ts'
import { isBeneath } from '../host/sandbox/path-within.ts'
import { namedFiles } from '../host/trust/command-files.ts'
import { contentOf, fileContent } from '../host/trust/content-hash.ts'
import { homeOf } from '../server/xdg.ts'
import { CliError, EXIT } from './exit.ts'
import { safeJson } from './ui/terminal.ts'

/** One thing that a person may trust, as it stood when it was read. */
export interface Trustable {
  path: string
  sha256: string
  /** What it would bring, a line each. */
  brings: string[]
  /** Files and folders that its hooks run, with the hash of each: they are trusted together with it. */
  names: ReadonlyMap<string, string>
  /** Of a folder: what is in it, with the hash of each. */
  holds: ReadonlyMap<string, string>
}

/** Reads what may be trusted; throws where there is nothing, or what it says cannot be taken. */
export async function readTrustable(file: string, env: Readonly<Record<string, string | undefined>>) {
  return isConfig(file) ? readConfig(file, homeOf(env)) : readFiles(file)
}

const isConfig = (file: string) => /[\\/]\.toolgate[\\/]config\.jsonc$/.test(file)

/** Root of the workspace that a path beneath `.toolgate` belongs to. */
const rootOfConfig = (file: string) => path.dirname(path.dirname(file))

async function readConfig(file: string, home: string): Promise<Trustable> {
  const faults: Fault[] = []
  const root = rootOfConfig(file)
  const source = await readFileSource(file, home, faults, root)
  if (source) faults.push(...(await faultsIn(source)))
  if (faults.length > 0) throw new CliError(new ConfigError(faults).message, { exit: EXIT.usage, code: 'CONFIG' })
  if (!source) throw missing(file)
  const names = await namedIn(source, root)
  return { path: file, sha256: source.file!.sha256, brings: linesOf(source), names, holds: new Map() }
}

async function readFiles(file: string): Promise<Trustable> {
  const plain = { path: file, brings: [], names: new Map() }
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) throw missing(file)
  if (!stats.isDirectory()) return { ...plain, sha256: fileContent(file)!, holds: new Map() }
  try {
    const folder = (await readModuleFolder(file))!
    const holds = new Map(Object.entries(folder.files).map(([name, sha256]) => [path.join(file, name), sha256]))
    return { ...plain, sha256: folder.sha256, holds }
  } catch (error) {
    if (!(error instanceof ModuleFolderFault)) throw error
    throw new CliError(error.message, { exit: EXIT.usage, code: 'INVALID_PATH' })
  }
}

const missing = (file: string) =>
  new CliError(`File not found: ${file}.`, { exit: EXIT.usage, code: 'FILE_NOT_FOUND', hint: 'See: toolgate trust' })

/** What it would have started, as it is written. */
function startedIn({ value }: Source): [what: string, how: object][] {
  const { hooks = [], mcp_servers = {}, command_tools = {} } = value
  return [
    ...hooks.map(({ when, ...hook }): [string, object] => [`hook ${when} calls`, hook]),
    ...Object.entries(mcp_servers).map(([name, server]): [string, object] => [`MCP server ${name}`, server]),
    ...Object.entries(command_tools).map(([name, tool]): [string, object] => [`tool ${name}`, tool])
  ]
}

/** What of the workspace its hooks run, which is held to its content each time: files that commands name, and the folders of
 * modules. */
async function namedIn({ value: { hooks = [] } }: Source, root: string): Promise<ReadonlyMap<string, string>> {
  const files = hooks.flatMap(({ command = [] }) => namedFiles(command, root))
  const folders = hooks.flatMap(({ module }) =>
    module === undefined ? [] : [path.dirname(path.resolve(root, module))]
  )
  const named = new Map(files.map(file => [file, fileContent(file)!]))
  for (const folder of folders.filter(each => isBeneath(each, root))) {
    const content = await contentOf(folder)
    if (content !== undefined) named.set(folder, content)
  }
  return named
}

const RUN: readonly string[] = ['hooks', 'mcp_servers', 'command_tools', 'rules']

function linesOf(source: Source): string[] {
  const { rules = [], ...rest } = source.value
  const settings = Object.entries(rest).filter(([key]) => !RUN.includes(key))
  return [
    ...startedIn(source).map(([what, how]) => `${what}: ${safeJson(how)}`),
    ...rules.map(rule => `rule: ${safeJson(rule)}`),
    ...settings.map(([key, value]) => `setting ${key}: ${safeJson(value)}`)
  ]
}
