// The first parser: walks unbash's syntax tree, collects every simple command at any depth, and records any syntax beyond literal
// commands.

import type { ParsedScript, Word as ParsedWord, Pipeline, Redirection, Statement, SyntaxNode } from 'unbash'
import { type AndOr, type Command, type CommandNode, forEachChild, type PipelineNode, parse } from 'unbash'
import { BoundVariables } from './bound-variables.ts'
import { isInterpreterOfScript } from './executed/interpreters.ts'
import {
  type Assignment,
  type CommandIssue,
  isHarmlessRedirect,
  type ParsedCommandLine,
  type Redirect,
  type SimpleCommand,
  TOO_DEEP,
  type Word
} from './parsed-command-line.ts'
import { findExpansion, SYNTAX_RULES } from './syntax-rules.ts'
import { isSafeExpansion, quotedDocument, wordValue } from './word-value.ts'

/** Maximum nesting of subshells for a literal line. */
const MAX_SUBSHELL_DEPTH = 8

export function parseWithUnbash(source: string): ParsedCommandLine {
  const reader = new Reader()
  try {
    reader.script(parse(source), source)
    return reader
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Exceeds the stack, as nested functions can.
    return { commands: [], redirects: [], issues: [TOO_DEEP] }
  }
}

class Reader implements ParsedCommandLine {
  commands: SimpleCommand[] = []
  redirects: Redirect[] = []
  issues: CommandIssue[] = []
  #source = ''
  #depth = 0
  /** Variables of the enclosing loops. */
  #loopVariables = new Set<string>()
  readonly #boundVariables = new BoundVariables()
  /** Current folder of commands; null if it cannot be determined. */
  #cwd: string | null | undefined

  script(script: ParsedScript, source: string) {
    const outer = this.#source
    this.#source = script.source ?? source
    if (script.errors && script.errors.length > 0) this.#addIssue('strict', 'Cannot be parsed as a command line.')
    this.#scoped(() => this.#statements(script.commands))
    this.#source = outer
  }

  #statements(statements: readonly Statement[]) {
    for (const { command, background } of statements) {
      const before = this.#cwd
      if (background) {
        this.#addContainedIssue('Leaves a process running in the background.')
        this.#scoped(() => this.#visitNode(command))
      } else this.#visitNode(command)
      // If the `cd` failed, the following commands run here.
      if (this.#cwd !== before) this.#cwd = null
    }
  }

  #visitNode(node: PipelineNode | AndOr) {
    if (node.type === 'AndOr') this.#chain(node)
    else if (node.type === 'Pipeline') this.#pipeline(node)
    else this.#command(node)
  }

  #chain({ commands, operators }: AndOr) {
    const before = this.#cwd
    let either = false
    for (const [at, command] of commands.entries()) {
      either ||= operators[at - 1] === '||'
      // It is unknown if a `cd` on one side of an `||` runs.
      if (either && this.#cwd !== before) this.#cwd = null
      this.#visitNode(command)
      if (either && this.#cwd !== before) this.#cwd = null
    }
  }

  #pipeline({ prefixes, commands, operators }: Pipeline) {
    if (prefixes.some(({ type }) => type === 'Time')) this.#addContainedIssue('Measures the time of a command.')
    if (operators.includes('|&')) this.#addContainedIssue('Also pipes stderr to the next command.')
    const before = this.#cwd
    let fed: SimpleCommand | undefined
    for (const command of commands) {
      const from = this.commands.length
      this.#cwd = before
      this.#command(command, fed)
      if (this.#cwd !== before) this.#addContainedIssue('Changes the working directory within a pipe.')
      fed = this.commands[from]
    }
    this.#cwd = before
  }

  #command(node: CommandNode, fed?: SimpleCommand): void {
    if (node.type === 'Command') this.#simple(node, fed)
    else if (node.type === 'Redirected') this.#redirected(node, fed)
    else if (node.type === 'Subshell') {
      if (++this.#depth > MAX_SUBSHELL_DEPTH) this.issues.push(TOO_DEEP)
      this.#scoped(() => this.#withPipedInput(fed, () => this.#statements(node.body.commands)))
      this.#depth--
    } else {
      const note = SYNTAX_RULES[node.type]?.(node)
      if (note) this.issues.push(note)
      if (node.type === 'For') {
        this.#loopVariables.add(node.name.value)
        this.#boundVariables.bind(
          node.name.value,
          (node.wordlist ?? []).map(({ text }) => text)
        )
      }
      this.#scoped(() => this.#withPipedInput(fed, () => this.#children(node)))
      if (node.type === 'BraceGroup') this.#cwd = null
    }
  }

  /** A redirect of a group is opened in the folder before it, whichever of its commands uses it. */
  #redirected({ command, redirects }: Redirected, fed?: SimpleCommand) {
    const cwd = this.#cwd
    this.#command(command, fed)
    const around = redirects.map(redirect => this.#redirect(redirect))
    if (around.every(isHarmlessRedirect)) return
    const text = this.#source.slice(redirects[0]!.pos, redirects.at(-1)!.end)
    this.commands.push({ text, words: [], assignments: [], redirects: around, cwd })
  }

  /** Input piped into a group may reach any command in it. */
  #withPipedInput(fed: SimpleCommand | undefined, read: () => void) {
    const from = this.commands.length
    read()
    if (fed) for (const command of this.commands.slice(from)) command.pipedFrom ??= fed
  }

  #simple(node: Command, pipedFrom?: SimpleCommand) {
    const { name, prefix, suffix, redirects } = node
    const assignments = prefix.flatMap(part => (part.type === 'Assignment' ? [this.#assignment(part)] : []))
    const args = suffix.flatMap(part => (part.type === 'Word' || part.type === 'Assignment' ? [toWord(part)] : []))
    const words = (name ? [toWord(name), ...args] : args).map(word => this.#markVariables(word))
    const simple: SimpleCommand = {
      text: this.#source.slice(node.pos, node.end),
      words,
      assignments,
      redirects: redirects.map(redirect => this.#redirect(redirect, words)),
      ...(pipedFrom && { pipedFrom }),
      cwd: this.#cwd
    }
    this.commands.push(simple)
    if (assignments.length > 0 || DECLARATION_COMMANDS.has(name?.value ?? ''))
      this.#addContainedIssue('Sets variables.')
    if (words[0]?.value === 'read') for (const { unquoted } of words.slice(1)) this.#boundVariables.bind(unquoted, [])
    forEachChild(node, child => {
      if (!isRedirect(child) && !isQuotedDocument(child)) this.#visitChild(child)
    })
    this.#trackFolder(words)
  }

  #markVariables(word: Word): Word {
    if (word.expansion === undefined) return word
    const variable = /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(word.raw)?.[1]
    return {
      ...word,
      ...(variable !== undefined && this.#loopVariables.has(variable) && { loopVariable: true }),
      environment: this.#boundVariables.findUnbound(word.raw)
    }
  }

  #assignment({ name, text, value }: ParsedAssignment): Assignment {
    const given = text.slice(text.indexOf('=') + 1)
    const environment = this.#boundVariables.findUnbound(given)
    this.#boundVariables.bind(name, [given])
    return {
      name,
      text,
      value: value.type === 'Word' ? (value.text === '' ? '' : wordValue(value.text)) : undefined,
      environment
    }
  }

  /** Tracks the folder of the following commands after a `cd`. */
  #trackFolder(words: readonly Word[]) {
    const [program, folder, ...rest] = words.map(({ value }) => value)
    if (program === undefined) return
    if (program !== 'cd') {
      if (words.some(({ unquoted }) => FOLDER_COMMANDS.has(unquoted)) && FOLDER_COMMAND_WRAPPERS.has(program))
        this.#cwd = null
      return
    }
    const isKnown = folder !== undefined && folder !== '' && !folder.startsWith('-') && rest.length === 0
    // Bash resolves `..` to the folder it came from, the file system to the parent: known only if they are the same.
    const upwards =
      isKnown && (this.#cwd === undefined ? /[^/.][^/]*\/+\.\.(?:\/|$)/ : /(?:^|\/)\.\.(?:\/|$)/).test(folder)
    if (!isKnown || upwards || this.#cwd === null) this.#cwd = null
    else this.#cwd = this.#cwd === undefined || folder.startsWith('/') ? folder : `${this.#cwd}/${folder}`
    if (this.#cwd === null) this.#addContainedIssue('Changes to a folder that cannot be determined.')
  }

  /** `words` are those of the command whose input or output it is. */
  #redirect(redirect: Redirection, words: readonly Word[] = []): Redirect {
    const { operator, descriptor } = redirect
    const target =
      redirect.type === 'HereDoc' || !redirect.target ? undefined : this.#markVariables(toWord(redirect.target))
    const body =
      redirect.type === 'HereDoc' ? redirect.body.text : redirect.type === 'HereString' ? target?.unquoted : undefined
    const found = {
      operator,
      fd: descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined,
      target,
      ...(body !== undefined && { body })
    }
    this.redirects.push(found)
    if (descriptor?.type === 'FileDescriptorVariable')
      this.#addIssue('strict', 'Stores a file descriptor in a variable.')
    if (body !== undefined && !isLiteralData(redirect, words))
      this.#addContainedIssue('Contains the input of a command (here-document or here-string).')
    this.#children(redirect)
    return found
  }

  #children(node: SyntaxNode) {
    forEachChild(node, child => this.#visitChild(child))
  }

  /** Visits everything that may contain a command. */
  #visitChild(node: SyntaxNode) {
    if (node.type === 'Statement') this.#statements([node])
    else if (isRedirect(node)) this.#redirect(node)
    else this.#visitNested(node)
  }

  #visitNested(node: SyntaxNode) {
    const note = SYNTAX_RULES[node.type]?.(node)
    if (note) this.issues.push(note)
    if ('script' in node) {
      if (node.script) this.script(node.script, this.#source)
      else this.#addIssue('strict', 'Contains a command that could not be parsed.')
    } else if (isCommand(node)) this.#command(node)
    else this.#children(node)
  }

  #scoped(read: () => void) {
    const before = this.#cwd
    read()
    this.#cwd = before
  }

  #addIssue = (level: CommandIssue['class'], reason: string) => void this.issues.push({ class: level, reason })
  #addContainedIssue = (reason: string) => void this.issues.push({ class: 'ask', reason, contained: 'reads' })
}

/** Their arguments are assignments to bash, not words. */
const DECLARATION_COMMANDS = new Set(['export', 'declare', 'local', 'readonly', 'typeset', 'unset'])
const FOLDER_COMMANDS = new Set(['cd', 'pushd', 'popd'])
const FOLDER_COMMAND_WRAPPERS = new Set(['pushd', 'popd', 'command', 'builtin', 'eval'])
type ParsedAssignment = Extract<SyntaxNode, { type: 'Assignment' }>
type Redirected = Extract<CommandNode, { type: 'Redirected' }>
const COMMANDS = new Set(['Command', 'Redirected', 'Function', 'Coproc', 'Subshell', 'BraceGroup'])

const isCommand = (node: SyntaxNode): node is CommandNode => COMMANDS.has(node.type)
/** Returns true for a quoted here-document that a script reads. One whose lines lose their tabs is not literal. */
const isLiteralData = (redirect: Redirection, words: readonly Word[]) =>
  redirect.type === 'HereDoc' &&
  redirect.operator === '<<' &&
  redirect.delimiter?.quoted === true &&
  words.every(({ value }) => value !== undefined) &&
  isInterpreterOfScript(words.map(({ unquoted }) => unquoted))

/** Nothing in it has an effect but `cat`. */
const isQuotedDocument = (node: SyntaxNode) => node.type === 'Word' && quotedDocument(node.text) !== undefined
const isRedirect = (node: SyntaxNode): node is Redirection =>
  node.type === 'Redirect' || node.type === 'HereDoc' || node.type === 'HereString'

/** Converts a word; it is literal only if both methods agree. */
function toWord(word: ParsedWord | ParsedAssignment): Word {
  const raw = word.text
  const value = wordValue(raw)
  if (word.type === 'Assignment')
    return value === undefined
      ? { raw, value, unquoted: stripQuotes(raw), expansion: 'expansion' }
      : { raw, value, unquoted: value }
  if (value !== undefined && quotedDocument(raw) !== undefined) return { raw, value, unquoted: value }
  const doubt = findExpansion(word)
  if (value !== undefined && doubt === undefined && value === word.value) return { raw, value, unquoted: value }
  const safeExpansion = doubt !== undefined && doubt !== 'expansion' && isSafeExpansion(raw)
  return {
    raw,
    value: undefined,
    unquoted: word.value,
    expansion: doubt ?? (HOME.test(raw) ? 'home' : 'expansion'),
    ...(safeExpansion && { safeExpansion })
  }
}

const HOME = /(?:^|[=:])~/
const stripQuotes = (raw: string) => raw.replaceAll(/\$?['"]|\\/g, '')
