// Passes arguments to bubblewrap whose paths need not be UTF-8: arguments of a process are text here, so these come from a file.
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { toSystemPath } from '../../../text/byte-names.ts'
import { encodeFields } from '../encode-fields.ts'
import type { InheritedFiles } from './mount-arguments.ts'
import { ARGUMENTS_PREFIX } from './setup-status.ts'

interface PassedArguments {
  args: readonly string[]
  /** Call once the sandbox has ended. */
  remove(): void
}

let last = 0

/** Returns the arguments, or those by which bubblewrap reads them from a file in the folder. */
export function passArguments(folder: string, args: readonly string[], descriptors: InheritedFiles): PassedArguments {
  const encoded = args.map(toSystemPath)
  if (encoded.every(one => typeof one === 'string')) return { args, remove: () => {} }
  const file = path.join(folder, `${ARGUMENTS_PREFIX}${process.pid}-${++last}`)
  writeFileSync(file, encodeFields(encoded), { mode: 0o600 })
  return { args: ['--args', descriptors.add(file)], remove: () => rmSync(file, { force: true }) }
}
