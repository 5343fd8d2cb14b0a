// Index of language servers by the names of files. Searches of whole projects look up every file.
import type { LanguageServerDefinition } from './server-definition.ts'

/** A language server for a file, with the protocol's language identifier of the file. */
export interface ServerMatch {
  server: LanguageServerDefinition
  language: string
}

interface NamePattern extends ServerMatch {
  pattern: string
  /** Position of the server in order of preference. */
  rank: number
}

export class ServerIndex {
  readonly #suffixes = new Map<string, NamePattern[]>()
  readonly #names = new Map<string, NamePattern[]>()
  readonly #wildcards: NamePattern[] = []

  constructor(servers: readonly LanguageServerDefinition[]) {
    for (const [rank, server] of servers.entries())
      for (const [language, patterns] of Object.entries(server.languages))
        for (const pattern of patterns) this.#add({ server, language, pattern, rank })
  }

  #add(entry: NamePattern) {
    const { pattern } = entry
    if (pattern.includes('*')) return void this.#wildcards.push(entry)
    const group = pattern.startsWith('.') ? this.#suffixes : this.#names
    const same = group.get(pattern)
    if (same) same.push(entry)
    else group.set(pattern, [entry])
  }

  /** Returns the servers for a file name in order of preference. The longest pattern of a server selects the language. */
  find(name: string): ServerMatch[] {
    const best = new Map<number, NamePattern>()
    for (const entry of this.#matches(name)) {
      const known = best.get(entry.rank)
      if (!known || entry.pattern.length > known.pattern.length) best.set(entry.rank, entry)
    }
    return [...best.values()].sort((a, b) => a.rank - b.rank).map(({ server, language }) => ({ server, language }))
  }

  *#matches(name: string): Generator<NamePattern> {
    yield* this.#names.get(name) ?? []
    for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1))
      yield* this.#suffixes.get(name.slice(at)) ?? []
    for (const entry of this.#wildcards) if (matchesWildcard(name, entry.pattern)) yield entry
  }
}

function matchesWildcard(name: string, pattern: string): boolean {
  const [start, end] = pattern.split('*') as [string, string]
  return name.startsWith(start) && name.endsWith(end) && name.length >= pattern.length
}
