// Configuration files: JSON with comments and trailing commas.
import path from 'node:path'
import type { Node, ParseError } from 'jsonc-parser'
import { sha256Hex } from '../host/trust/sha256.ts'
import { ConfigFileError, readConfigFile } from '../server/config-file.ts'
import type { ConfigSource } from './config-source.ts'
import { resolveSecretFiles } from './notifications.ts'
import type { ConfigIssue } from './validation.ts'

/** Reads a file; undefined if it does not exist. With `within`, rejects one that is a link out of that folder. */
export async function readFileSource(
  file: string,
  home: string,
  issues: ConfigIssue[],
  within?: string
): Promise<ConfigSource | undefined> {
  const content = readFileOrReport(file, within, issues)
  if (content === undefined) return undefined
  const text = content.toString('utf8').replace(/^\ufeff/, '')
  const { findNodeAtLocation, getNodeValue, parseTree, printParseErrorCode } = await import('jsonc-parser')
  const position = createPositionLookup(text)
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  const wrong = (offset: number, message: string) =>
    issues.push({ where: `${file}:${position(offset)}`, field: '', message })

  for (const { error, offset } of errors)
    wrong(offset, `is not valid JSON at this position: ${formatErrorCode(printParseErrorCode(error))}`)
  if (errors.length > 0) return undefined
  if (tree?.type !== 'object') {
    wrong(0, 'must contain an object: { … }')
    return undefined
  }
  for (const key of findUnsafeKeys(tree))
    wrong(key.offset, `${JSON.stringify(key.value)} is used twice, or is not allowed as a key`)

  const { value: given, named } = applyAliases(getNodeValue(tree))
  return {
    value: resolvePaths(given, path.dirname(file), home),
    locate([first, ...rest]) {
      const location = first === undefined ? [] : [named(first), ...rest]
      for (let end = location.length; end > 0; end--) {
        const node = findNodeAtLocation(tree, location.slice(0, end))
        if (node) return `${file}:${position((node.parent?.type === 'property' ? node.parent : node).offset)}`
      }
      return `${file}:1:1`
    },
    file: { path: file, sha256: sha256Hex(content) }
  }
}

/** Aliases of settings in other programs' files, so that their contents can be copied. */
const SETTING_ALIASES: Readonly<Record<string, string>> = { mcp_servers: 'mcpServers' }

function applyAliases(given: ConfigSource['value']): {
  value: ConfigSource['value']
  named(key: string | number): string | number
} {
  const value: Record<string, unknown> = { ...given }
  const theirs = new Map<string | number, string>()
  for (const [ours, other] of Object.entries(SETTING_ALIASES)) {
    if (!Object.hasOwn(value, other) || Object.hasOwn(value, ours)) continue
    value[ours] = value[other]
    delete value[other]
    theirs.set(ours, other)
  }
  return { value, named: key => theirs.get(key) ?? key }
}

function readFileOrReport(file: string, within: string | undefined, issues: ConfigIssue[]): Buffer | undefined {
  try {
    return readConfigFile(file, within)
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error
    issues.push({ where: file, field: '', message: error.message })
    return undefined
  }
}

/** Resolves paths relative to the file's folder; `~` is the home folder. */
function resolvePaths(value: ConfigSource['value'], folder: string, home: string): ConfigSource['value'] {
  const resolved = (given: unknown) => (typeof given === 'string' ? resolvePath(given, folder, home) : given)
  const single = (['socket', 'token_file', 'call_token_file'] as const)
    .filter(key => value[key] !== undefined)
    .map(key => [key, resolved(value[key])])
  const roots = Array.isArray(value.roots)
    ? { roots: value.roots.map(root => (root?.path === undefined ? root : { ...root, path: resolved(root.path) })) }
    : {}
  const agentTokens =
    typeof value.agent_token_files === 'object' && value.agent_token_files !== null
      ? {
          agent_token_files: Object.fromEntries(
            Object.entries(value.agent_token_files).map(([agent, file]) => [agent, resolved(file)])
          )
        }
      : {}
  const hub =
    typeof value.hub === 'object' && value.hub?.token_file !== undefined
      ? { hub: { ...value.hub, token_file: resolved(value.hub.token_file) } }
      : {}
  const notifications =
    typeof value.notifications === 'object' && value.notifications?.channels !== undefined
      ? {
          notifications: {
            ...value.notifications,
            channels: resolveSecretFiles(value.notifications.channels, resolved)
          }
        }
      : {}
  const trust =
    typeof value.trust === 'object' && value.trust !== null
      ? { trust: Object.fromEntries(Object.entries(value.trust).map(([file, hash]) => [resolved(file), hash])) }
      : {}
  return {
    ...value,
    ...Object.fromEntries(single),
    ...roots,
    ...agentTokens,
    ...hub,
    ...notifications,
    ...trust
  } as ConfigSource['value']
}

export const resolvePath = (given: string, folder: string, home: string) =>
  /^~(?:\/|$)/.test(given) ? path.join(home, given.slice(1)) : path.resolve(folder, given)

function createPositionLookup(text: string) {
  return (offset: number) => {
    const before = text.slice(0, offset)
    const lines = before.split('\n')
    return `${lines.length}:${lines.at(-1)!.length + 1}`
  }
}

const formatErrorCode = (code: string) => code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

/** Finds keys that another one would silently override. */
function findUnsafeKeys(node: Node): Node[] {
  const keys = node.type === 'object' ? (node.children ?? []).map(property => property.children![0]!) : []
  const seen = new Set<unknown>()
  const doubtful = keys.filter(({ value }) => value === '__proto__' || seen.size === seen.add(value).size)
  return [...doubtful, ...(node.children ?? []).flatMap(child => findUnsafeKeys(child))]
}
