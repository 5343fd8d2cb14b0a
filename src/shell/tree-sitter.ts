// The second parser: tree-sitter's grammar of bash. It returns the literal commands of a line, or nothing if the line contains
// anything else. It runs only on lines that the first parser found literal and short.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Language, type Node, Parser } from 'web-tree-sitter'
import { isSafeExpansion, wordValue } from './word-value.ts'

/** The literal commands and redirects of a line, each in order. */
interface Literal {
  commands: readonly (readonly string[])[]
  redirects: readonly string[]
}

let parser: Parser | undefined
let loading: Promise<void> | undefined

/** Loads the grammar once. Until then every line is strict. */
export const loadParsers = (): Promise<void> => (loading ??= load())

async function load() {
  // Optimizing the grammar's largest function takes half a gigabyte temporarily. Without it a line is parsed in 50 µs instead of
  // 25 µs. Either flag alone only shifts the peak.
  setFlagsFromString('--no-wasm-dynamic-tiering')
  setFlagsFromString('--no-wasm-tier-up')
  await Parser.init({ locateFile: () => grammarFile('web-tree-sitter', 'web-tree-sitter.wasm') })
  const language = await Language.load(grammarFile('tree-sitter-bash', 'tree-sitter-bash.wasm'))
  parser = new Parser().setLanguage(language)
}

/** In the bundle the files are next to the code; in the sources, in their packages. */
function grammarFile(from: string, name: string) {
  if (!import.meta.url.endsWith('.ts')) return fileURLToPath(new URL(`./${name}`, import.meta.url))
  return createRequire(import.meta.url).resolve(`${from}/${name}`)
}

/** Returns undefined if the line contains more than literal commands, or cannot be parsed. */
export function parseWithTreeSitter(source: string): Literal | undefined {
  if (!parser) return undefined
  const tree = parser.parse(source)
  if (!tree) return undefined
  try {
    const found = new LiteralCollector()
    return !tree.rootNode.hasError && found.visit(tree.rootNode) ? found : undefined
  } finally {
    tree.delete()
  }
}

const GROUPS = new Set(['program', 'list', 'pipeline', 'negated_command', 'subshell', 'redirected_statement'])
const JOINS = new Set([';', '\n', '&&', '||', '|', '!', '(', ')', 'comment'])
const WORDS = new Set(['word', 'string', 'raw_string', 'concatenation', 'number', 'command_name', 'simple_expansion'])
const REDIRECTS = new Set(['>', '<', '>&', '&>', '&>>', '>>', '>|'])

class LiteralCollector implements Literal {
  commands: string[][] = []
  redirects: string[] = []

  /** Returns true if the whole node is literal. */
  visit(node: Node): boolean {
    if (GROUPS.has(node.type)) return node.children.every(child => child !== null && this.visit(child))
    if (JOINS.has(node.type)) return true
    if (node.type === 'file_redirect') return this.#redirect(node)
    if (node.type === 'heredoc_redirect') return this.#document(node)
    if (node.type === 'command') return this.#command(node)
    if (node.type === 'test_command') return this.#test(node)
    return false
  }

  #command(node: Node): boolean {
    const words: string[] = []
    this.commands.push(words)
    return node.children.every(child => {
      if (child?.type === 'file_redirect') return this.#redirect(child)
      return child !== null && WORDS.has(child.type) && add(words, child)
    })
  }

  #redirect(node: Node): boolean {
    let text = ''
    let aimed = false
    for (const child of node.children) {
      if (child === null) return false
      if (child.type === 'file_descriptor' || REDIRECTS.has(child.type)) text += child.text
      else if (!WORDS.has(child.type)) return false
      else if (aimed) {
        // The grammar parses all following words as targets; in bash they are words of the command.
        const command = this.commands.at(-1)
        if (!command || node.previousSibling?.type === 'subshell' || !add(command, child)) return false
      } else {
        const target = wordValue(child.text)
        if (target === undefined) return false
        text += ` ${target}`
        aimed = true
      }
    }
    this.redirects.push(text)
    return aimed
  }

  /** In the grammar, a here-document also holds what follows on its line: such a line is not literal. */
  #document(node: Node): boolean {
    const [operator, start, body, end, ...rest] = node.children
    const types = [operator, start, body, end].map(child => child?.type)
    if (rest.length > 0 || types.join(' ') !== '<< heredoc_start heredoc_body heredoc_end') return false
    this.redirects.push(`<< ${body!.text}`)
    return true
  }

  /** `[ … ]` has special syntax in the grammar; in bash it is an ordinary command. */
  #test(node: Node): boolean {
    if (node.firstChild?.type !== '[') return false
    const words: string[] = []
    this.commands.push(words)
    const leaves = (inner: Node): boolean =>
      inner.childCount === 0 || WORDS.has(inner.type)
        ? add(words, inner)
        : inner.children.every(child => child !== null && leaves(child))
    return leaves(node)
  }
}

function add(words: string[], node: Node): boolean {
  const value = wordValue(node.text) ?? (isSafeExpansion(node.text) ? node.text : undefined)
  if (value !== undefined) words.push(value)
  return value !== undefined
}
