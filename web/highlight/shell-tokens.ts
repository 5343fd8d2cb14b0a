// Tokens of shell code, by the parser with which the server classifies commands.
import { forEachChild, type ParsedScript, parse, type SyntaxNode, type Word } from 'unbash'
import { TOKEN_KINDS, type TokenKind } from './tokens.ts'

/** Returns the length and the kind of each token; undefined if the text cannot be parsed, such as a part of a script. */
export function findShellTokens(text: string): Uint32Array | undefined {
  const script = parse(text)
  if (script.errors && script.errors.length > 0) return undefined
  const painter = new Painter(text)
  painter.visit(script)
  return painter.tokens()
}

/** Mark of characters that belong to no word: blanks, comments, operators and reserved words. */
const BETWEEN_WORDS = 255

/** Kinds of nodes that have no children with other colours. */
const LEAF_KINDS: Partial<Record<SyntaxNode['type'], TokenKind>> = {
  SingleQuoted: 'string',
  AnsiCQuoted: 'string',
  HereDocDelimiter: 'meta',
  FileDescriptor: 'meta',
  FileDescriptorVariable: 'meta',
  SimpleExpansion: 'attribute',
  ArithmeticExpansion: 'number',
  ArithmeticCommand: 'number',
  Time: 'keyword',
  Negation: 'keyword'
}
/** Kinds of nodes whose children have other colours. */
const OUTER_KINDS: Partial<Record<SyntaxNode['type'], TokenKind>> = {
  Word: 'plain',
  DoubleQuoted: 'string',
  LocaleString: 'string',
  HereDocBody: 'string',
  ParameterExpansion: 'attribute'
}
/** Nodes with a script inside: its operators are between words again. */
const SCRIPT_NODES: ReadonlySet<SyntaxNode['type']> = new Set(['CommandExpansion', 'ProcessSubstitution'])

class Painter {
  readonly #text: string
  readonly #kinds: Uint8Array

  constructor(text: string) {
    this.#text = text
    this.#kinds = new Uint8Array(text.length).fill(BETWEEN_WORDS)
  }

  visit(node: SyntaxNode) {
    const leaf = LEAF_KINDS[node.type]
    if (leaf !== undefined) {
      this.#paint(node, leaf)
      return
    }
    const outer = OUTER_KINDS[node.type]
    if (outer !== undefined) this.#paint(node, outer)
    if (node.type === 'Word' && node.text.startsWith('-')) this.#paint(node, 'attribute')
    if (node.type === 'Assignment') this.#paint({ pos: node.pos, end: node.pos + node.name.length }, 'attribute')
    if (SCRIPT_NODES.has(node.type)) {
      this.#visitScript(node as Extract<SyntaxNode, { script: ParsedScript | undefined }>)
      return
    }
    forEachChild(node, child => this.visit(child))
    if ((node.type === 'Command' || node.type === 'Function') && node.name) this.#paintName(node.name)
  }

  /** A script in escaped backquotes has positions in another text. */
  #visitScript(node: { pos: number; end: number; script: ParsedScript | undefined }) {
    if (!node.script || node.script.source !== undefined) {
      this.#paint(node, 'string')
      return
    }
    this.#kinds.fill(BETWEEN_WORDS, node.pos, node.end)
    this.visit(node.script)
  }

  #paintName(name: Word) {
    if (name.parts === undefined) this.#paint(name, 'title')
  }

  #paint({ pos, end }: { pos: number; end: number }, kind: TokenKind) {
    this.#kinds.fill(TOKEN_KINDS.indexOf(kind), pos, end)
  }

  tokens(): Uint32Array {
    this.#paintBetweenWords()
    const tokens: number[] = []
    for (const kind of this.#kinds)
      if (tokens.at(-1) === kind) tokens[tokens.length - 2]! += 1
      else tokens.push(1, kind)
    return Uint32Array.from(tokens)
  }

  #paintBetweenWords() {
    let from = 0
    while (from < this.#kinds.length) {
      const start = this.#kinds.indexOf(BETWEEN_WORDS, from)
      if (start < 0) return
      let end = start
      while (this.#kinds[end] === BETWEEN_WORDS) end++
      for (const { 0: token, index } of this.#text.slice(start, end).matchAll(BETWEEN_WORDS_TOKEN))
        this.#paint({ pos: start + index, end: start + index + token.length }, kindBetweenWords(token))
      from = end
    }
  }
}

const BETWEEN_WORDS_TOKEN = /#[^\n]*|[a-z{}![\]]+|\s+|[^#a-z{}![\]\s]+/g

function kindBetweenWords(token: string): TokenKind {
  if (token.startsWith('#')) return 'comment'
  if (token.trim() === '') return 'plain'
  return /^[a-z{}![\]]/.test(token) ? 'keyword' : 'meta'
}
