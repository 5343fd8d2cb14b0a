// Programs that run the command in their words, for rules that deny or ask: beyond those whose facts say so by `wraps`, which the search
// for executed sources follows. For most of these the analysis reports the command as a part, unless an option is not known.
import { splitWords } from '../executed/source-finder.ts'
import type { WrappedOptions } from './program.ts'

/** The options that take a value, and the words before the command. */
const RUNNERS: Readonly<Record<string, WrappedOptions>> = {
  xargs: { valued: '-a --arg-file -n --max-args -P --max-procs -L --max-lines -I -d --delimiter -s --max-chars -E' },
  taskset: { skip: 1 },
  chroot: { skip: 1 },
  nsenter: { valued: '-t --target -S --setuid -G --setgid' },
  flock: { lines: '-c --command', skip: 1 },
  setarch: { skip: 1 },
  'linux32 linux64 rlwrap setpriv unbuffer stdbuf run0': { valued: '-f -a -i -o -e' },
  'nice ionice setsid nohup': { valued: '-n -c --adjustment --class --classdata' },
  'chrt timeout': { valued: '-k -s -T -P -D --kill-after --signal', skip: 1 },
  numactl: { valued: '-N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred' },
  time: { valued: '-f --format -o --output' },
  sudo: { valued: '-u --user -g --group -h --host -p --prompt -C -r -t -D --chdir -R --chroot -T', assignments: true },
  'gosu su-exec chpst': { skip: 1 },
  pkexec: { valued: '--user' },
  watch: { valued: '-n --interval', operandLines: true },
  concurrently: { operandLines: true }
}
const RUNNER_BY_NAME = new Map(
  Object.entries(RUNNERS).flatMap(([names, options]) => splitWords(names).map(name => [name, options] as const))
)

/** Returns the notation of a program's words. */
export const findRunner = (program: string): WrappedOptions | undefined => RUNNER_BY_NAME.get(program)
