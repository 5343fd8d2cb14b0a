// The files by which the language servers of a project are found for a search by name, which names no file.
import { serversFor } from './servers/launch-config.ts'
import type { LanguageServerDefinition } from './servers/server-definition.ts'

/** Maximum number of language servers that are tried, or started, to find one. */
const MAX_SERVERS = 3

/**
 * Returns one file for each of the three language servers that know the most files, of those that find symbols by name: the file
 * nearest to the root, since its project is most likely the whole.
 */
export function listMainFiles(files: readonly string[], servers: readonly LanguageServerDefinition[]): string[] {
  const known = new Map<LanguageServerDefinition, { count: number; path: string }>()
  for (const path of files) {
    const [first] = serversFor(path, servers)
    if (!first || first.server.findsSymbolsByName === false) continue
    const { count = 0, path: best = path } = known.get(first.server) ?? {}
    known.set(first.server, { count: count + 1, path: isNearer(path, best) ? path : best })
  }
  return servers
    .flatMap(server => known.get(server) ?? [])
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_SERVERS)
    .map(({ path }) => path)
}

function isNearer(path: string, other: string): boolean {
  const [depth, otherDepth] = [path, other].map(each => each.split('/').length) as [number, number]
  return depth < otherDepth || (depth === otherDepth && path < other)
}
