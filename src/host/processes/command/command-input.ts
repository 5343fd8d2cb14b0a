// Input of a running command. Unread input is buffered in memory, up to a limit.
import type { Socket } from 'node:net'
import { ToolError } from '../../../errors.ts'
import type { PtyMessage, TerminalSize } from '../pty.ts'

/** Maximum number of input bytes buffered for a command. */
const MAX_WAITING_BYTES = 1 << 20

export interface CommandInput {
  /** Writes text, resolving once it is on its way. Throws OVERLOADED if the buffer is full. */
  write(text: string): Promise<void>
  /** Closes the input. */
  end(): void
  resize(size: TerminalSize): void
}

/** Creates the input of a pipe. `stdin` is undefined for a command without input. */
export function pipeInput(stdin: Socket | undefined): CommandInput {
  return {
    write: async text => writeWithBackpressure(open(stdin), text),
    end: () => void open(stdin).end(),
    resize() {
      throw new ToolError('CONFLICT', 'The command has no terminal.')
    }
  }
}

/** Creates the input of a command on its own terminal; `stdin` is that of the program that holds the terminal. */
export function terminalInput(stdin: Socket | undefined): CommandInput {
  const line = (message: PtyMessage) => `${JSON.stringify(message)}\n`
  return {
    write: async text => writeWithBackpressure(open(stdin), line({ input: text })),
    // The end-of-file character (Ctrl-D) of a terminal in its usual mode.
    end: () => void open(stdin).write(line({ input: '\x04' })),
    resize: resize => void open(stdin).write(line({ resize }))
  }
}

function open(stdin: Socket | undefined): Socket {
  if (stdin?.writable) return stdin
  throw new ToolError(
    'CONFLICT',
    'The command accepts no input, because it was started without input, or its input was closed.'
  )
}

async function writeWithBackpressure(stdin: Socket, text: string): Promise<void> {
  if (stdin.writableLength + Buffer.byteLength(text) > MAX_WAITING_BYTES)
    throw new ToolError(
      'OVERLOADED',
      'The command does not read its input: too much input is already waiting for it.',
      {
        waiting_bytes: stdin.writableLength
      }
    )
  const { promise, resolve } = Promise.withResolvers<void>()
  // Also resolves if the command ends before.
  if (!stdin.write(text, () => resolve())) await promise
}
