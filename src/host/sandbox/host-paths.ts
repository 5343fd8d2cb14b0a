// A program without mounts, because they are impossible or unnecessary: its arguments name the files at their host paths.
import type { Program } from './sandbox.ts'

export function withHostPaths({ mounts = [], ...program }: Program): Omit<Program, 'mounts'> {
  const found = (word: string) => mounts.find(({ to }) => to === word)?.from ?? word
  return { ...program, file: found(program.file), args: program.args.map(found) }
}
