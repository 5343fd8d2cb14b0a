// Marks by which the processes of a program are found, in a variable of its environment. Pids and ids of calls would not do: the same ones
// occur in other servers on the machine, by other pid namespaces and by the choice of callers.
import { randomBytes } from 'node:crypto'

const SERVER = randomBytes(8).toString('hex')
let last = 0

/** Returns a mark that no other program has, of this server or another one. */
export const newProcessMark = (): string => `${SERVER}/${++last}`
