// Programs that execute code from their input, or data for a script.
import { findVersionedFacts } from '../programs/programs.ts'

/** Returns true if the command executes the code that it reads from its input. */
export function isInterpreterOfInput([program = '', ...args]: readonly string[]): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1)
  const readsCode = findVersionedFacts(name)?.readsCode
  if (readsCode === undefined) return false
  if (args.includes('-f-') || args.some(namesInput)) return true
  if (readsCode === 'if dashed') return false
  if (args.some(arg => /^-[a-z]*s$/.test(arg)) && /sh$/.test(name)) return true
  return args.every(arg => /^[-+]/.test(arg) && !/^--?(?:version|help|v|V|h|c|e|r|p|test|run)$|^-[a-z]*[ce]$/.test(arg))
}

/** Returns true if the command is an interpreter that runs a script, named by its first word: what it reads from its input is data. */
export function isInterpreterOfScript([program = '', script = '-', ...args]: readonly string[]): boolean {
  const facts = findVersionedFacts(program)
  const isInterpreter = facts?.readsCode === true && !facts.builtin
  return isInterpreter && !script.startsWith('-') && !isInterpreterOfInput([program, script, ...args])
}

/** Returns true for a word that stands for the input. */
export const namesInput = (word: string) =>
  word === '-' || /(?:^|=)\/(?:dev\/(?:stdin|fd\/)|proc\/self\/fd\/)/.test(word)
