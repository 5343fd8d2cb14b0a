// A program without mounts, because they are impossible or unnecessary: its arguments and variables name the files at their host
// paths.
import type { Program } from './sandbox.ts'

export function withHostPaths({ mounts = [], ...program }: Program): Omit<Program, 'mounts'> {
  const found = (word: string) => mounts.find(({ to }) => to === word)?.from ?? word
  const env = Object.fromEntries(Object.entries(program.env).map(([name, value]) => [name, found(value)]))
  return { ...program, file: found(program.file), args: program.args.map(found), env }
}
