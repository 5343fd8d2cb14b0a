// Rules by kind of syntax node, in addition to the commands in it, and the reasons that a word is not literal.
import { forEachChild, type ParameterExpansionPart, type SyntaxNode, type Word } from 'unbash'
import { isEvaluatedVariable, isUnsafeVariable, SETS_UNSAFE_VARIABLE } from './commands/unsafe-variables.ts'
import type { CommandIssue, ExpansionKind } from './parsed-command-line.ts'

const ask = (reason: string) => (): CommandIssue => ({ class: 'ask', reason, contained: 'reads' })
const strict = (reason: string) => (): CommandIssue => ({ class: 'strict', reason })
const CONTROL = ask('Contains a loop or a condition.')

/** Operators by which a test evaluates its operands as arithmetic, which can contain commands. */
const EVALUATING = new Set(['-v', '-R', '-eq', '-ne', '-lt', '-le', '-gt', '-ge'])
/** Parameter expansions that cannot run anything. */
const HARMLESS_OPERATIONS = new Set(['Default', 'Remove', 'Replace', 'CaseModification'])

/** By kind of node. Unlisted kinds are judged by their children. */
export const SYNTAX_RULES: Partial<Record<string, (node: SyntaxNode) => CommandIssue | undefined>> = {
  If: CONTROL,
  For: node => (node.type === 'For' ? (classifyVariable(node.name.value) ?? CONTROL()) : undefined),
  While: CONTROL,
  Case: CONTROL,
  Select: () => ({ class: 'ask', reason: 'Uses `select`, which waits for input.' }),
  ArithmeticFor: strict('Counts with expressions, which can contain commands.'),
  BraceGroup: ask('Groups commands.'),
  Function: node =>
    isForkBomb(node)
      ? { class: 'block', reason: 'Fork bomb.' }
      : { class: 'strict', reason: 'Defines a function, which may replace a program.' },
  Coproc: strict('Starts a coprocess.'),
  ArithmeticCommand: strict('Evaluates an expression, which can contain commands.'),
  TestCommand: ask('Tests a condition.'),
  TestUnary: node => (node.type === 'TestUnary' && EVALUATING.has(node.operator) ? evaluates : undefined),
  TestBinary: node => (node.type === 'TestBinary' && EVALUATING.has(node.operator) ? evaluates : undefined),
  CommandExpansion: ask('Inserts the output of a command into another command.'),
  ProcessSubstitution: () => ({
    class: 'strict',
    reason: 'Uses process substitution `<(…)`.',
    contained: 'reads'
  }),
  ArithmeticExpansion: node => {
    const text = textOf(node)
    if (/^\$\(\([\d\s+*/%-]*\)\)$/.test(text)) return calculates
    return /^\$\(\((?:[\w\s$*/%<>?:()]|\+(?!\+)|-(?!-))*\)\)$/.test(text)
      ? { ...evaluates, contained: 'computes' }
      : evaluates
  },
  Assignment: node =>
    node.type === 'Assignment' && (node.index || isEvaluatedVariable(node.name))
      ? { ...evaluates, contained: 'computes' }
      : undefined,
  ParameterExpansion: node =>
    node.type === 'ParameterExpansion' &&
    (node.prefix === '!' || node.index || (node.operation && !isHarmlessOperation(node)))
      ? { class: 'strict', reason: `${node.text} may do more than insert the value of a variable.` }
      : undefined,
  ArrayValue: node => {
    const hasSubscripts = node.type === 'ArrayValue' && node.elements.some(({ text }) => text.includes('['))
    return { class: 'ask', reason: 'Sets an array.', contained: hasSubscripts ? 'computes' : 'reads' }
  }
}

const evaluates: CommandIssue = { class: 'strict', reason: 'Evaluates an expression, which can contain commands.' }
const calculates: CommandIssue = { class: 'ask', reason: 'Uses shell arithmetic.', contained: 'reads' }

/** Returns the issue of a variable that a loop sets, or that a default value may set; undefined for a variable without a meaning. */
function classifyVariable(name: string): CommandIssue | undefined {
  if (isUnsafeVariable(name)) return { class: 'strict', reason: SETS_UNSAFE_VARIABLE }
  return isEvaluatedVariable(name) ? { ...evaluates, contained: 'computes' } : undefined
}

const isHarmlessOperation = ({ parameter, operation }: ParameterExpansionPart) =>
  operation !== undefined &&
  HARMLESS_OPERATIONS.has(operation.type) &&
  !(operation.type === 'Default' && operation.operator.endsWith('=') && classifyVariable(parameter))

const textOf = (node: SyntaxNode) => ('text' in node ? node.text : '')

/** Detects a function that calls itself in a pipeline or in the background. */
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

/** Returns the worst expansion in the word; undefined if it is literal. A lone `[` is not a pattern, but the name of a test. */
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
