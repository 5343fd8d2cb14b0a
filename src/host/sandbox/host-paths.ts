// A program whose files are not put anywhere, since nothing can be or need be: its words name them where they are.
import type { Program } from './sandbox.ts'

export function withHostPaths({ mounts = [], ...program }: Program): Omit<Program, 'mounts'> {
  const found = (word: string) => mounts.find(({ to }) => to === word)?.from ?? word
  return { ...program, file: found(program.file), args: program.args.map(found) }
}
