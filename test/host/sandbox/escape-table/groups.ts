// Groups of the attempts to escape, the columns of the table in docs/security.md: titles of attempts by what they aim at.

const SERVER_FILES = ['environ', 'maps', 'smaps', 'auxv', 'io', 'personality', 'syscall']
const SERVER_LINKS = ['root', 'cwd', 'exe', 'fd/0', 'ns/mnt']

export const ESCAPE_GROUPS = {
  "server's files": ['read the state folder', 'list the state folder', 'read a token file'],
  'files outside': [
    'read beside the workspace',
    'read the home',
    'read the list of users',
    'read passwords',
    'read private keys of the machine',
    'list private keys of the machine',
    'read beside a folder that is only found',
    'leave the view by its descriptors',
    'write beside the workspace',
    'write through a link out of the workspace',
    'write to programs of the system',
    'cut off a file outside',
    'cut off a file outside by opening it',
    'move a file outside',
    'link a file outside'
  ],
  'attributes outside': [
    'change the mode of a file outside',
    'change the times of a file outside',
    'mark a file outside',
    'watch the state folder',
    'find a file by its handle'
  ],
  secrets: [
    'read a secret of the workspace',
    'read it after a rename',
    'read it by another name',
    'read it by a hard link with a plain name',
    'make it readable'
  ],
  'protected names': ['change the history', 'move the history away', 'change what editors obey'],
  'code for others': [
    'plant code in a cache',
    'plant code in a new cache',
    'plant output of a build tool',
    'plant a program of a package',
    'change instructions of agents',
    'add instructions of agents',
    'change a build script',
    'add a test hook',
    'add a configuration that is code',
    'add variables that start programs',
    'plant code in new packages',
    'hide instructions of agents in new packages',
    'plant packages around a repository',
    'hide instructions of agents deeper than a path'
  ],
  processes: [
    'see the processes of the machine',
    'read the environment of all',
    'reach other processes by number',
    'trace a process',
    ...SERVER_FILES.map(file => `read ${file} of the server`),
    ...SERVER_LINKS.map(link => `read where ${link} of the server leads`),
    'open the memory of the server',
    'read the memory of the server',
    'read a file through the root of the server',
    'trace the server',
    ...[200, 234, 129].map(number => `signal the server by call ${number}`),
    'signal the server by a descriptor',
    'change when the server is killed',
    'change the priority of the server',
    'read the limits of the server',
    'bind the server to a processor',
    'share memory',
    'open a queue'
  ],
  network: [
    'connect to a port of this machine',
    'connect out',
    'ask who answers for names',
    'connect to a socket outside',
    'connect to a nameless socket',
    'open a raw socket',
    'send a datagram',
    'connect by sending',
    'connect by several paths',
    'send from one of a pair to a socket outside',
    'connect one of a pair to a socket outside'
  ],
  'kernel and rights': [
    'mount',
    'take a mount away',
    'make namespaces within',
    'open a setting of the kernel for writing',
    'reach the magic key',
    'find the devices of the kernel',
    'hold up programs that open a file, by a lease',
    'hold up programs that change a file, by a lease',
    'watch a folder by signals',
    'make a device',
    'type into the terminal',
    'outlive the limit on processes',
    'make a set-user-id program',
    'create one so',
    'gain rights by one of the system'
  ]
} satisfies Record<string, readonly string[]>

export type EscapeGroup = keyof typeof ESCAPE_GROUPS

export const GROUP_NAMES = Object.keys(ESCAPE_GROUPS) as EscapeGroup[]

/** Returns the group of an attempt; undefined if it is in none. */
export const findGroup = (title: string): EscapeGroup | undefined =>
  GROUP_NAMES.find(name => (ESCAPE_GROUPS[name] as readonly string[]).includes(title))
