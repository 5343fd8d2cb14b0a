// Summary of a file before it is trusted: its contributions as written, and the other workspace files that it refers to. Trust
// applies to exactly what was read here.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { ConfigSource } from '../config/config-source.ts'
import { readFileSource } from '../config/file-source.ts'
import { ConfigError, type ConfigIssue, validateSource } from '../config/validation.ts'
import { ModuleFolderError, readModuleFolder } from '../host/modules/module-folder.ts'
import { isWithin } from '../host/sandbox/path-within.ts'
import { findCommandFiles } from '../host/trust/command-files.ts'
import { contentHash, fileHash } from '../host/trust/content-hash.ts'
import { homeFolder } from '../server/xdg.ts'
import { CliError, EXIT } from './exit.ts'
import { toSafeJson } from './ui/terminal.ts'

/** An item that a person may trust, as it was read. */
export interface Trustable {
  path: string
  sha256: string
  /** Its contributions, one per line. */
  brings: string[]
  /** Files and folders that its hooks run, with their hashes: they are trusted together with it. */
  names: ReadonlyMap<string, string>
  /** The entries of a folder, with their hashes. */
  holds: ReadonlyMap<string, string>
}

/** Reads the items that may be trusted; throws if there are none, or the configuration is invalid. */
export async function readTrustable(file: string, env: Readonly<Record<string, string | undefined>>) {
  return isConfigFile(file) ? readTrustableConfig(file, homeFolder(env)) : readTrustableFiles(file)
}

const isConfigFile = (file: string) => /[\\/]\.toolgate[\\/]config\.jsonc$/.test(file)

/** Returns the root of the workspace of a path under `.toolgate`. */
const workspaceOfConfig = (file: string) => path.dirname(path.dirname(file))

async function readTrustableConfig(file: string, home: string): Promise<Trustable> {
  const issues: ConfigIssue[] = []
  const root = workspaceOfConfig(file)
  const source = await readFileSource(file, home, issues, root)
  if (source) issues.push(...(await validateSource(source)))
  if (issues.length > 0) throw new CliError(new ConfigError(issues).message, { exit: EXIT.usage, code: 'CONFIG' })
  if (!source) throw fileNotFoundError(file)
  const names = await findReferencedFiles(source, root)
  return { path: file, sha256: source.file!.sha256, brings: formatContributions(source), names, holds: new Map() }
}

async function readTrustableFiles(file: string): Promise<Trustable> {
  const plain = { path: file, brings: [], names: new Map() }
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) throw fileNotFoundError(file)
  if (!stats.isDirectory()) return { ...plain, sha256: fileHash(file)!, holds: new Map() }
  try {
    const folder = (await readModuleFolder(file))!
    const holds = new Map(Object.entries(folder.files).map(([name, sha256]) => [path.join(file, name), sha256]))
    return { ...plain, sha256: folder.sha256, holds }
  } catch (error) {
    if (!(error instanceof ModuleFolderError)) throw error
    throw new CliError(error.message, { exit: EXIT.usage, code: 'INVALID_PATH' })
  }
}

const fileNotFoundError = (file: string) =>
  new CliError(`File not found: ${file}.`, { exit: EXIT.usage, code: 'FILE_NOT_FOUND', hint: 'See: toolgate trust' })

/** Lists the programs that it would start, as written. */
function listStartedPrograms({ value }: ConfigSource): [what: string, how: object][] {
  const { hooks = [], mcp_servers = {}, command_tools = {} } = value
  return [
    ...hooks.map(({ when, ...hook }): [string, object] => [`hook ${when} calls`, hook]),
    ...Object.entries(mcp_servers).map(([name, server]): [string, object] => [`MCP server ${name}`, server]),
    ...Object.entries(command_tools).map(([name, tool]): [string, object] => [`tool ${name}`, tool])
  ]
}

/** Finds workspace files that its hooks run, whose content is verified at each use: files in commands, and folders of modules. */
async function findReferencedFiles(
  { value: { hooks = [] } }: ConfigSource,
  root: string
): Promise<ReadonlyMap<string, string>> {
  const files = hooks.flatMap(({ command = [] }) => findCommandFiles(command, root))
  const folders = hooks.flatMap(({ module }) =>
    module === undefined ? [] : [path.dirname(path.resolve(root, module))]
  )
  const named = new Map(files.map(file => [file, fileHash(file)!]))
  for (const folder of folders.filter(each => isWithin(each, root))) {
    const content = await contentHash(folder)
    if (content !== undefined) named.set(folder, content)
  }
  return named
}

const STARTING_SETTINGS: readonly string[] = ['hooks', 'mcp_servers', 'command_tools', 'rules']

function formatContributions(source: ConfigSource): string[] {
  const { rules = [], ...rest } = source.value
  const settings = Object.entries(rest).filter(([key]) => !STARTING_SETTINGS.includes(key))
  return [
    ...listStartedPrograms(source).map(([what, how]) => `${what}: ${toSafeJson(how)}`),
    ...rules.map(rule => `rule: ${toSafeJson(rule)}`),
    ...settings.map(([key, value]) => `setting ${key}: ${toSafeJson(value)}`)
  ]
}
