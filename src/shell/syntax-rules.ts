// What each kind of node in a line says about it, beside the commands it holds; and what keeps a word from being literal.
import { forEachChild, type SyntaxNode, type Word } from 'unbash'
import type { CommandIssue, ExpansionKind } from './parsed-command-line.ts'

const ask = (reason: string) => (): CommandIssue => ({ class: 'ask', reason })
const strict = (reason: string) => (): CommandIssue => ({ class: 'strict', reason })
const CONTROL = ask('It holds a loop or a condition.')

/** What makes a test evaluate its operands as arithmetic, in which commands can hide. */
const EVALUATING = new Set(['-v', '-R', '-eq', '-ne', '-lt', '-le', '-gt', '-ge'])
/** Changes to a variable's value that cannot run anything. */
const HARMLESS_OPERATIONS = new Set(['Default', 'Remove', 'Replace', 'CaseModification'])

/** By kind of node. Kinds that are not named are judged by what they hold. */
export const SYNTAX_RULES: Partial<Record<string, (node: SyntaxNode) => CommandIssue | undefined>> = {
  If: CONTROL,
  For: CONTROL,
  While: CONTROL,
  Case: CONTROL,
  Select: CONTROL,
  ArithmeticFor: strict('It counts with expressions, in which commands can hide.'),
  BraceGroup: ask('It groups commands.'),
  Function: node =>
    isForkBomb(node)
      ? { class: 'block', reason: 'It is a fork bomb.' }
      : { class: 'strict', reason: 'It defines a function, which may stand in for a program.' },
  Coproc: strict('It starts a coprocess.'),
  ArithmeticCommand: strict('It evaluates an expression, in which commands can hide.'),
  TestCommand: ask('It tests a condition.'),
  TestUnary: node => (node.type === 'TestUnary' && EVALUATING.has(node.operator) ? evaluates : undefined),
  TestBinary: node => (node.type === 'TestBinary' && EVALUATING.has(node.operator) ? evaluates : undefined),
  CommandExpansion: ask('It puts the output of a command into another.'),
  ProcessSubstitution: strict('It hands a running command over as a file.'),
  ArithmeticExpansion: node => (/^\$\(\([\d\s+*/%-]*\)\)$/.test(textOf(node)) ? calculates : evaluates),
  ParameterExpansion: node =>
    node.type === 'ParameterExpansion' &&
    (node.prefix === '!' || node.index || (node.operation && !HARMLESS_OPERATIONS.has(node.operation.type)))
      ? { class: 'strict', reason: `${node.text} may be more than a variable's value.` }
      : undefined,
  ArrayValue: ask('It sets a list.')
}

const evaluates: CommandIssue = { class: 'strict', reason: 'It evaluates an expression, in which commands can hide.' }
const calculates: CommandIssue = { class: 'ask', reason: 'It calculates.' }
const textOf = (node: SyntaxNode) => ('text' in node ? node.text : '')

/** A function that calls itself more than once, or beside going on. */
function isForkBomb(node: SyntaxNode): boolean {
  if (node.type !== 'Function') return false
  const name = node.name.value
  let calls = 0
  let spreads = false
  const look = (inner: SyntaxNode) => {
    if (inner.type === 'Command' && inner.name?.value === name) calls++
    if (inner.type === 'Pipeline' || (inner.type === 'Statement' && inner.background)) spreads = true
    forEachChild(inner, look)
  }
  look(node.body)
  return calls > 0 && spreads
}

const EXPANSION_BY_NODE: Partial<Record<SyntaxNode['type'], ExpansionKind>> = {
  Glob: 'pattern',
  ExtendedGlob: 'pattern',
  BraceExpansion: 'braces',
  SimpleExpansion: 'variable',
  ParameterExpansion: 'variable',
  AnsiCQuoted: 'expansion',
  LocaleString: 'expansion',
  CommandExpansion: 'expansion',
  ArithmeticExpansion: 'expansion',
  ProcessSubstitution: 'expansion'
}
const EXPANSIONS_BY_RISK: readonly ExpansionKind[] = ['expansion', 'variable', 'braces', 'pattern']

/** The worst of what the word holds; undefined where it is literal. A lone `[` is no pattern, but the name of a test. */
export function findExpansion(word: Word): ExpansionKind | undefined {
  const found = new Set<ExpansionKind>()
  const look = (node: SyntaxNode) => {
    const doubt = EXPANSION_BY_NODE[node.type]
    if (doubt) found.add(doubt)
    forEachChild(node, look)
  }
  if (word.text !== '[' && word.text !== ']') forEachChild(word, look)
  return EXPANSIONS_BY_RISK.find(doubt => found.has(doubt))
}
