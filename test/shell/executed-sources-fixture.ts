// Fixture: finds what a command line executes, in files that are texts by their path.
import { analyzeCommandLine } from '../../src/shell/analyze-command-line.ts'
import { findExecutedSources } from '../../src/shell/executed/executed-sources.ts'
import { loadParsers } from '../../src/shell/tree-sitter.ts'

await loadParsers()

export type Files = Record<string, string>

export const pkg = (scripts: object, more = {}) => JSON.stringify({ scripts, ...more })
export const words = (text: string) => text.split(' ').filter(Boolean)

export function find(line: string, files: Files, cwd = '.') {
  const { parts } = analyzeCommandLine(line, { paths: [], pids: [] })
  return findExecutedSources({ text: line, parts }, cwd, {
    read: path => (Object.hasOwn(files, path) ? files[path] : undefined),
    exists: path => Object.hasOwn(files, path),
    isThere: path => Object.hasOwn(files, path),
    locate: path => (path.startsWith('/ws/') ? path.slice(4) : undefined)
  })
}
