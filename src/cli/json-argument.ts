// Reads JSON that is given on the command line as text, as @file, or as - for standard input.
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { readUserFile } from '../host/user-file.ts'
import type { CliRuntime } from './context.ts'

/** Returns the JSON as text, which may be invalid. */
export async function readJsonArgument(given: string, { stdin, cwd }: CliRuntime): Promise<string> {
  if (given === '-') return text(stdin)
  return given.startsWith('@') ? readUserFile(path.resolve(cwd, given.slice(1))) : given
}
