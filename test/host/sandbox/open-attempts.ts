// Attempts to escape that succeed at a level, by design: its `lacks`, or its meaning, names each.
import type { BackendName, IsolationLevel } from '../../../src/protocol/isolation-levels.ts'

/** Names, modes, times and attributes of files, and of processes, are not kept by Landlock. */
const NAMES_AND_ATTRIBUTES = [
  'see the processes of the machine',
  'change the mode of a file outside',
  'change the times of a file outside',
  'mark a file outside',
  'watch the state folder'
]
/** Landlock cannot take a file out of a folder that may be written. */
const IN_THE_WORKSPACE = [
  'read a secret of the workspace',
  'read it after a rename',
  'read it by another name',
  'read it by a hard link with a plain name',
  'make it readable',
  'change the history',
  'move the history away',
  'change what editors obey'
]
/** Files and the network of the container, but for files and the process of the server. */
const IN_THE_CONTAINER = [
  'read beside the workspace',
  'read the home',
  'read passwords',
  'write beside the workspace',
  'write through a link out of the workspace',
  'write to programs of the system',
  'connect to a port of this machine',
  'connect out',
  'ask who answers for names',
  'connect to a socket outside',
  'find the devices of the kernel',
  'share memory',
  'send a datagram',
  'connect by sending',
  'connect by several paths',
  'cut off a file outside',
  'cut off a file outside by opening it',
  'move a file outside',
  'link a file outside',
  'read beside a folder that is only found',
  'list the state folder'
]

const OPEN_WITH_LANDLOCK: Readonly<Partial<Record<IsolationLevel, readonly string[]>>> = {
  workspace: [...NAMES_AND_ATTRIBUTES, ...IN_THE_WORKSPACE],
  container: [...NAMES_AND_ATTRIBUTES, ...IN_THE_WORKSPACE, ...IN_THE_CONTAINER]
}

export const isOpen = (title: string, backend: BackendName, level: IsolationLevel) =>
  backend === 'landlock' && (OPEN_WITH_LANDLOCK[level]?.includes(title) ?? false)
