// Finds what a command line executes besides its text: the scripts that it names, and what its programs look up, such as the
// scripts of package.json or the Makefile in effect. An approval of the line is bound to these sources.
import { dirname, join, normalize } from 'node:path/posix'
import { analyzeCommandLine } from '../analyze-command-line.ts'
import type { SubCommand } from '../command-line-analysis.ts'
import { mayExecuteSources } from './may-execute.ts'
import type { ExecutedSource, ExecutedSources, SourceCollector, SourceFiles } from './source-collector.ts'
import { findSourceFinder } from './source-finders.ts'

export type { ExecutedSource, ExecutedSources, SourceFiles } from './source-collector.ts'

/** Maximum nesting of scripts that run scripts. */
const MAX_DEPTH = 5
/** Maximum number of sources; more than anyone would review. */
const MAX_SOURCES = 50

/** `cwd` is relative to the root, like the paths of the result. `parts` are those of the line. */
export function findExecutedSources(parts: readonly SubCommand[], cwd: string, files: SourceFiles): ExecutedSources {
  const search = new SourceSearch(files)
  search.addParts(parts, cwd, 0)
  return { sources: [...search.sources.values()], unknown: [...search.unknown] }
}

class SourceSearch {
  readonly sources = new Map<string, ExecutedSource>()
  readonly unknown = new Set<string>()
  readonly #files: SourceFiles
  readonly #lines = new Set<string>()

  constructor(files: SourceFiles) {
    this.#files = files
  }

  addParts(parts: readonly SubCommand[], cwd: string, depth: number) {
    for (const part of parts) {
      const { argv, cwd: moved = '.' } = part
      const folder = moved === null || moved.startsWith('/') ? undefined : resolveIn(cwd, moved)
      if (argv === undefined) this.#addNonLiteral(part, folder)
      else if (argv.length > 0) this.#addCommand(argv, folder, depth)
    }
  }

  #addNonLiteral(part: SubCommand, folder: string | undefined) {
    const { text, class: needed } = part
    // An environment or an expansion precedes the words, or is among them: the literal ones may still name scripts.
    if (needed === 'auto' || !mayExecuteSources([part])) return
    for (const word of text.split(/\s+/)) {
      const path = folder === undefined || !word.includes('/') ? undefined : resolveIn(folder, word)
      if (path !== undefined && this.#files.exists(path)) this.#add({ path })
    }
    this.unknown.add('The words of the command are not all literal, so the files that it executes cannot be listed.')
  }

  #addCommand([program, ...args]: readonly string[], folder: string | undefined, depth: number) {
    const find = findSourceFinder(program!)
    if (!find && !program!.includes('/')) return
    if (folder === undefined) {
      this.unknown.add('The folder of a command cannot be determined, so the files that it executes cannot be listed.')
      return
    }
    const collector = this.#collectorFor(folder, depth)
    if (program!.includes('/')) collector.addFile(program!)
    find?.(args, collector, baseName(program!))
  }

  #collectorFor(folder: string, depth: number): SourceCollector {
    const at = (path: string) => (path.startsWith('/') || path.startsWith('~') ? undefined : resolveIn(folder, path))
    const within = <T>(path: string, use: (resolved: string) => T): T | undefined => {
      const resolved = at(path)
      return resolved === undefined ? undefined : use(resolved)
    }
    return {
      read: path => within(path, resolved => this.#files.read(resolved)),
      exists: path => within(path, resolved => this.#files.exists(resolved)) ?? false,
      findUpward: name => this.#findUpward(folder, name),
      addFile: path => within(path, resolved => this.#files.exists(resolved) && this.#add({ path: resolved })),
      addEntry: (path, entry, text) => within(path, resolved => this.#add({ path: resolved, entry, text })),
      addLine: (line, inner) => within(inner, resolved => this.#addLine(line, resolved, depth + 1)),
      addUnknown: sentence => this.unknown.add(sentence)
    }
  }

  /** Returns a path relative to the command's folder. */
  #findUpward(folder: string, name: string): string | undefined {
    let up = '.'
    for (let at = folder; ; at = dirname(at), up = up === '.' ? '..' : `../${up}`) {
      if (this.#files.exists(join(at, name))) return up
      if (at === '.') return undefined
    }
  }

  #addLine(line: string, folder: string, depth: number) {
    const key = `${folder}\n${line}`
    if (this.#lines.has(key)) return
    this.#lines.add(key)
    if (depth > MAX_DEPTH) this.unknown.add('Scripts run scripts in more levels than are followed.')
    else this.addParts(analyzeCommandLine(line, { paths: [], pids: [] }).parts, folder, depth)
  }

  #add(source: ExecutedSource) {
    if (this.sources.size >= MAX_SOURCES) this.unknown.add(`It executes more than ${MAX_SOURCES} files.`)
    else this.sources.set(`${source.path}\n${source.entry ?? ''}`, source)
  }
}

/** Returns undefined for a path outside of the root. */
function resolveIn(folder: string, path: string): string | undefined {
  const resolved = normalize(join(folder, path))
  return resolved === '..' || resolved.startsWith('../') ? undefined : resolved
}

const baseName = (program: string) => program.slice(program.lastIndexOf('/') + 1)
