// The first reader: walks unbash's tree of a line and collects every simple command in it, wherever it stands, and
// notes whatever is more than a literal command.

import type { ParsedScript, Word as ParsedWord, Pipeline, Redirection, Statement, SyntaxNode } from 'unbash'
import { type AndOr, type Command, type CommandNode, forEachChild, type PipelineNode, parse } from 'unbash'
import {
  type Assignment,
  type Fault,
  type Reading,
  type Redirect,
  type Simple,
  staysWithin,
  TOO_DEEP,
  type Word
} from './parsed-command-line.ts'
import { doubtOf, NOTES } from './syntax-rules.ts'
import { isSteady, wordValue } from './word-value.ts'

/** Subshells in subshells, beyond which nothing is called literal. */
const DEEPEST = 8

export function readWithUnbash(source: string): Reading {
  const reader = new Reader()
  try {
    reader.script(parse(source), source)
    return reader
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Deeper than the stack, as functions in functions may be.
    return { commands: [], redirects: [], faults: [TOO_DEEP] }
  }
}

class Reader implements Reading {
  commands: Simple[] = []
  redirects: Redirect[] = []
  faults: Fault[] = []
  #source = ''
  #depth = 0
  /** Variables of the loops it is in. */
  #loops = new Set<string>()
  /** Folder that commands run in now; null where it cannot be told. */
  #cwd: string | null | undefined

  script(script: ParsedScript, source: string) {
    const outer = this.#source
    this.#source = script.source ?? source
    if (script.errors && script.errors.length > 0) this.#note('strict', 'It cannot be read as a command line.')
    this.#scoped(() => this.#statements(script.commands))
    this.#source = outer
  }

  #statements(statements: readonly Statement[]) {
    for (const { command, background } of statements) {
      const before = this.#cwd
      if (background) {
        this.#note('ask', 'It leaves something running in the background.')
        this.#scoped(() => this.#node(command))
      } else this.#node(command)
      // A `cd` that failed would leave what follows here.
      if (this.#cwd !== before) this.#cwd = null
    }
  }

  #node(node: PipelineNode | AndOr) {
    if (node.type === 'AndOr') this.#chain(node)
    else if (node.type === 'Pipeline') this.#pipeline(node)
    else this.#command(node)
  }

  #chain({ commands, operators }: AndOr) {
    const before = this.#cwd
    let either = false
    for (const [at, command] of commands.entries()) {
      either ||= operators[at - 1] === '||'
      // Whether a `cd` on one side of an `||` ran, nobody can tell.
      if (either && this.#cwd !== before) this.#cwd = null
      this.#node(command)
      if (either && this.#cwd !== before) this.#cwd = null
    }
  }

  #pipeline({ prefixes, commands, operators }: Pipeline) {
    if (prefixes.some(({ type }) => type === 'Time')) this.#note('ask', 'It is timed.')
    if (operators.includes('|&')) this.#note('ask', 'It pipes errors too.')
    const before = this.#cwd
    let fed: Simple | undefined
    for (const command of commands) {
      const from = this.commands.length
      this.#cwd = before
      this.#command(command, fed)
      if (this.#cwd !== before) this.#note('ask', 'It changes the folder within a pipe.')
      fed = this.commands[from]
    }
    this.#cwd = before
  }

  #command(node: CommandNode, fed?: Simple): void {
    if (node.type === 'Command') this.#simple(node, fed)
    else if (node.type === 'Redirected') this.#redirected(node, fed)
    else if (node.type === 'Subshell') {
      if (++this.#depth > DEEPEST) this.faults.push(TOO_DEEP)
      this.#scoped(() => this.#first(fed, () => this.#statements(node.body.commands)))
      this.#depth--
    } else {
      const note = NOTES[node.type]?.(node)
      if (note) this.faults.push(note)
      if (node.type === 'For') this.#loops.add(node.name.value)
      this.#scoped(() => this.#first(fed, () => this.#children(node)))
      if (node.type === 'BraceGroup') this.#cwd = null
    }
  }

  /** A file around a group is opened in the folder before it, whichever of its commands reads or writes it. */
  #redirected({ command, redirects }: Redirected, fed?: Simple) {
    const cwd = this.#cwd
    this.#command(command, fed)
    const around = redirects.map(redirect => this.#redirect(redirect))
    if (around.every(staysWithin)) return
    const text = this.#source.slice(redirects[0]!.pos, redirects.at(-1)!.end)
    this.commands.push({ text, words: [], assignments: [], redirects: around, cwd })
  }

  /** What is piped into a group may reach any command in it. */
  #first(fed: Simple | undefined, read: () => void) {
    const from = this.commands.length
    read()
    if (fed) for (const command of this.commands.slice(from)) command.fed ??= fed
  }

  #simple(node: Command, fed?: Simple) {
    const { name, prefix, suffix, redirects } = node
    const assignments = prefix.flatMap(part => (part.type === 'Assignment' ? [assignment(part)] : []))
    const args = suffix.flatMap(part => (part.type === 'Word' || part.type === 'Assignment' ? [toWord(part)] : []))
    const words = (name ? [toWord(name), ...args] : args).map(word => this.#inLoop(word))
    const simple: Simple = {
      text: this.#source.slice(node.pos, node.end),
      words,
      assignments,
      redirects: redirects.map(redirect => this.#redirect(redirect)),
      ...(fed && { fed }),
      cwd: this.#cwd
    }
    this.commands.push(simple)
    if (assignments.length > 0 || DECLARES.has(name?.value ?? '')) this.#note('ask', 'It sets variables.')
    forEachChild(node, child => {
      if (!isRedirect(child)) this.#within(child)
    })
    this.#move(words)
  }

  #inLoop(word: Word): Word {
    const variable = /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(word.raw)?.[1]
    return variable !== undefined && this.#loops.has(variable) ? { ...word, bound: true } : word
  }

  /** Where the commands after this one run, if it leads elsewhere. */
  #move(words: readonly Word[]) {
    const [program, folder, ...rest] = words.map(({ value }) => value)
    if (program === undefined) return
    if (program !== 'cd') {
      if (words.some(({ guess }) => MOVES.has(guess)) && WRAPS_MOVES.has(program)) this.#cwd = null
      return
    }
    const told = folder !== undefined && folder !== '' && !folder.startsWith('-') && rest.length === 0
    // Bash takes `..` for the folder it came from, the file system for the one above: told only where they are one.
    const upwards =
      told && (this.#cwd === undefined ? /[^/.][^/]*\/+\.\.(?:\/|$)/ : /(?:^|\/)\.\.(?:\/|$)/).test(folder)
    if (!told || upwards || this.#cwd === null) this.#cwd = null
    else this.#cwd = this.#cwd === undefined || folder.startsWith('/') ? folder : `${this.#cwd}/${folder}`
    if (this.#cwd === null) this.#note('ask', 'It goes to a folder that cannot be told.')
  }

  #redirect(redirect: Redirection): Redirect {
    const { operator, descriptor } = redirect
    const target = redirect.type === 'HereDoc' || !redirect.target ? undefined : toWord(redirect.target)
    const body =
      redirect.type === 'HereDoc' ? redirect.body.text : redirect.type === 'HereString' ? target?.guess : undefined
    const found = {
      operator,
      fd: descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined,
      target,
      ...(body !== undefined && { body })
    }
    this.redirects.push(found)
    if (descriptor?.type === 'FileDescriptorVariable') this.#note('strict', 'It keeps a descriptor in a variable.')
    if (body !== undefined) this.#note('ask', 'It brings its input along.')
    this.#children(redirect)
    return found
  }

  #children(node: SyntaxNode) {
    forEachChild(node, child => this.#within(child))
  }

  /** Everything in which a command may hide. */
  #within(node: SyntaxNode) {
    if (node.type === 'Statement') this.#statements([node])
    else if (isRedirect(node)) this.#redirect(node)
    else this.#nested(node)
  }

  #nested(node: SyntaxNode) {
    const note = NOTES[node.type]?.(node)
    if (note) this.faults.push(note)
    if ('script' in node) {
      if (node.script) this.script(node.script, this.#source)
      else this.#note('strict', 'It holds a command that could not be read.')
    } else if (isCommand(node)) this.#command(node)
    else this.#children(node)
  }

  #scoped(read: () => void) {
    const before = this.#cwd
    read()
    this.#cwd = before
  }

  #note = (level: Fault['class'], reason: string) => void this.faults.push({ class: level, reason })
}

/** Their arguments are assignments to bash, and no words. */
const DECLARES = new Set(['export', 'declare', 'local', 'readonly', 'typeset', 'unset'])
const MOVES = new Set(['cd', 'pushd', 'popd'])
const WRAPS_MOVES = new Set(['pushd', 'popd', 'command', 'builtin', 'eval'])
type Redirected = Extract<CommandNode, { type: 'Redirected' }>
const COMMANDS = new Set(['Command', 'Redirected', 'Function', 'Coproc', 'Subshell', 'BraceGroup'])

const isCommand = (node: SyntaxNode): node is CommandNode => COMMANDS.has(node.type)
const isRedirect = (node: SyntaxNode): node is Redirection =>
  node.type === 'Redirect' || node.type === 'HereDoc' || node.type === 'HereString'

function assignment({ name, text, value }: Extract<SyntaxNode, { type: 'Assignment' }>): Assignment {
  return { name, text, value: value.type === 'Word' ? (value.text === '' ? '' : wordValue(value.text)) : undefined }
}

/** Where both ways of reading a word agree it is literal. */
function toWord(word: ParsedWord | Extract<SyntaxNode, { type: 'Assignment' }>): Word {
  const raw = word.text
  const value = wordValue(raw)
  if (word.type === 'Assignment')
    return value === undefined ? { raw, value, guess: unquoted(raw), doubt: 'expansion' } : { raw, value, guess: value }
  const doubt = doubtOf(word)
  if (value !== undefined && doubt === undefined && value === word.value) return { raw, value, guess: value }
  const steady = doubt !== undefined && doubt !== 'expansion' && isSteady(raw)
  return {
    raw,
    value: undefined,
    guess: word.value,
    doubt: doubt ?? (HOME.test(raw) ? 'home' : 'expansion'),
    ...(steady && { steady })
  }
}

const HOME = /(?:^|[=:])~/
const unquoted = (raw: string) => raw.replaceAll(/\$?['"]|\\/g, '')
