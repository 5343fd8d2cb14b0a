// Input of a running command. What is not read yet waits in memory, up to a bound.
import type { Socket } from 'node:net'
import { ToolError } from '../../../errors.ts'
import type { PtyMessage, TerminalSize } from '../pty.ts'

/** Input that may wait for a command to read it. */
const MAX_WAITING_BYTES = 1 << 20

export interface CommandInput {
  /** Resolves once it is on its way. OVERLOADED where too much waits already. */
  write(text: string): Promise<void>
  /** No more will come. */
  end(): void
  resize(size: TerminalSize): void
}

/** `stdin` is undefined for a command that takes none. */
export function pipeInput(stdin: Socket | undefined): CommandInput {
  return {
    write: async text => writeWithBackpressure(open(stdin), text),
    end: () => void open(stdin).end(),
    resize() {
      throw new ToolError('CONFLICT', 'The command has no terminal.')
    }
  }
}

/** Of a command on a terminal of its own; `stdin` is that of the program that holds the terminal. */
export function terminalInput(stdin: Socket | undefined): CommandInput {
  const line = (message: PtyMessage) => `${JSON.stringify(message)}\n`
  return {
    write: async text => writeWithBackpressure(open(stdin), line({ input: text })),
    // What the key for it says on a terminal in its usual state.
    end: () => void open(stdin).write(line({ input: '\x04' })),
    resize: resize => void open(stdin).write(line({ resize }))
  }
}

function open(stdin: Socket | undefined): Socket {
  if (stdin?.writable) return stdin
  throw new ToolError('CONFLICT', 'The command takes no input: it was not started for that, or its input has ended.')
}

async function writeWithBackpressure(stdin: Socket, text: string): Promise<void> {
  if (stdin.writableLength + Buffer.byteLength(text) > MAX_WAITING_BYTES)
    throw new ToolError('OVERLOADED', 'The command does not read its input: too much waits for it already.', {
      waiting_bytes: stdin.writableLength
    })
  const { promise, resolve } = Promise.withResolvers<void>()
  // Where the command ends before, too.
  if (!stdin.write(text, () => resolve())) await promise
}
