// Finds bubblewrap, which sandboxes commands and git on Linux.
import { isExecutable } from './find-program.ts'

/** Not searched for on PATH, which may contain a folder of the workspace. */
const PATHS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap']

/** Returns the path of bubblewrap, or undefined where none can be executed. */
export const findBwrap = (): string | undefined => PATHS.find(isExecutable)
