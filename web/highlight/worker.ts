// The syntax highlighter, a worker: a text that takes its patterns long cannot block the page, which ends the worker then.
import { createLowlight } from 'lowlight'
import { CONTAINED_LANGUAGES, GRAMMARS } from './grammars.ts'
import type { Language } from './languages.ts'
import { type HighlightAnswer, type HighlightRequest, TOKEN_KINDS, type TokenKind } from './tokens.ts'

/** Kinds by the scopes of highlight.js. Text in other scopes has the kind of what surrounds it. */
const KINDS_BY_SCOPE: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  name: 'keyword',
  'template-tag': 'keyword',
  deletion: 'keyword',
  string: 'string',
  regexp: 'string',
  char: 'string',
  symbol: 'string',
  link: 'string',
  code: 'string',
  addition: 'string',
  number: 'number',
  literal: 'number',
  comment: 'comment',
  quote: 'comment',
  title: 'title',
  section: 'title',
  type: 'type',
  built_in: 'type',
  class: 'type',
  attr: 'attribute',
  attribute: 'attribute',
  property: 'attribute',
  variable: 'attribute',
  'template-variable': 'attribute',
  'selector-attr': 'attribute',
  'selector-class': 'attribute',
  'selector-id': 'attribute',
  'selector-pseudo': 'attribute',
  bullet: 'attribute',
  meta: 'meta',
  subst: 'plain'
}
const PREFIX = 'hljs-'

const lowlight = createLowlight()
type Tree = ReturnType<typeof lowlight.highlight>
type TreeNode = Tree['children'][number]

const answer = (message: HighlightAnswer) => postMessage(message)

addEventListener('message', async ({ data: { language, text } }: MessageEvent<HighlightRequest>) => {
  try {
    await load(language)
    answer({ state: 'done', tokens: flatten(lowlight.highlight(language, text, { prefix: PREFIX })) })
  } catch {
    answer({ state: 'failed' })
  }
})
answer({ state: 'ready' })

async function load(language: Language) {
  if (lowlight.registered(language)) return
  const needed = [...(CONTAINED_LANGUAGES[language] ?? []), language]
  const grammars = await Promise.all(needed.map(async name => [name, (await GRAMMARS[name]()).default] as const))
  for (const [name, grammar] of grammars) lowlight.register(name, grammar)
}

/** Returns the length and the kind of each token, neighbours of one kind merged. */
function flatten(tree: Tree): Uint32Array {
  const tokens: number[] = []
  const visit = (nodes: readonly TreeNode[], kind: number) => {
    for (const node of nodes) {
      if (node.type === 'element') visit(node.children, kindOf(node.properties.className) ?? kind)
      else if (node.type === 'text' && node.value !== '') {
        if (tokens.length > 0 && tokens.at(-1) === kind) tokens[tokens.length - 2]! += node.value.length
        else tokens.push(node.value.length, kind)
      }
    }
  }
  visit(tree.children, TOKEN_KINDS.indexOf('plain'))
  return Uint32Array.from(tokens)
}

/** A scope such as `title.function_` is two classes: `hljs-title` and `function_`. */
function kindOf(classes: unknown): number | undefined {
  const [scope = ''] = Array.isArray(classes) ? (classes as string[]) : []
  if (!scope.startsWith(PREFIX)) return scope === '' ? undefined : TOKEN_KINDS.indexOf('plain')
  const kind = KINDS_BY_SCOPE[scope.slice(PREFIX.length)]
  return kind === undefined ? undefined : TOKEN_KINDS.indexOf(kind)
}
