// Fifos between commands and the server. A fifo gives a command a real pipe (a socket could not be reopened as
// /dev/stdout), by a name that both the helper and the server can open. They are made in batches and used again.
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { ToolError } from '../errors.ts'

const BATCH = 8

/** The server's end of a pipe that a command writes to. Nothing may be read before the command has its own end. */
export interface Incoming {
  path: string
  /** Starts reading; the stream ends once no process holds the other end. */
  read(): Socket
  /** For a command that never started. */
  drop(): void
}

/** The server's end of a pipe that a command reads from. */
export interface Outgoing {
  path: string
  /** Gives the bytes and closes the pipe once they are taken; destroying what it returns closes it before. */
  write(bytes: string | Uint8Array): Socket
  drop(): void
}

export class Pipes {
  readonly #folder: string
  readonly #make: (paths: string[]) => void
  #free: string[] = []
  #made = 0
  #asked = 0
  #waiting: { resolve: (path: string) => void; reject: (error: Error) => void }[] = []

  /** `make` creates fifos at the paths and has `made` called once they are there. */
  constructor(folder: string, make: (paths: string[]) => void) {
    this.#folder = folder
    this.#make = make
  }

  async incoming(): Promise<Incoming> {
    const path = this.#free.pop() ?? (await this.#next())
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { path, read: () => this.#reader(path, fd), drop: () => this.#discard(path, fd) }
  }

  async outgoing(): Promise<Outgoing> {
    const path = this.#free.pop() ?? (await this.#next())
    // Opened for both ways, it neither waits for a reader nor fails for want of one.
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    return { path, write: bytes => this.#write(path, fd, bytes), drop: () => this.#discard(path, fd) }
  }

  /** Makes a first batch ahead of need. */
  fill() {
    if (this.#made + this.#asked === 0) this.#ask()
  }

  /** The fifos asked for are there, or could not be made. */
  made(paths: string[], error: string | undefined) {
    this.#asked -= paths.length
    if (error) {
      const refusal = new ToolError('EXECUTION_ERROR', `No pipe could be made for the command: ${error}`)
      for (const { reject } of this.#waiting.splice(0)) reject(refusal)
      return
    }
    for (const path of paths) this.#give(path)
  }

  /** What was asked of a helper that died will not come. */
  lost() {
    this.#asked = 0
    if (this.#waiting.length > 0) this.#ask()
  }

  #next(): Promise<string> {
    if (this.#asked <= this.#waiting.length) this.#ask()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  #ask() {
    const paths = Array.from({ length: BATCH }, () => join(this.#folder, String(this.#made++)))
    this.#asked += BATCH
    this.#make(paths)
  }

  #give(path: string) {
    const next = this.#waiting.shift()
    if (next) next.resolve(path)
    else this.#free.push(path)
  }

  #reader(path: string, fd: number) {
    const socket = new Socket({ fd, readable: true, writable: false })
    let ended = false
    socket.once('end', () => {
      ended = true
    })
    // A reset or bad descriptor ends the stream; what came before counts.
    socket.on('error', () => {})
    // A fifo whose other end may still be held would mix two commands' output.
    socket.once('close', () => (ended ? this.#give(path) : this.#unlink(path)))
    return socket
  }

  #write(path: string, fd: number, bytes: string | Uint8Array) {
    const socket = new Socket({ fd, readable: false, writable: true })
    socket.on('error', () => {})
    socket.once('close', () => this.#unlink(path))
    socket.write(bytes, () => socket.destroy())
    return socket
  }

  #discard(path: string, fd: number) {
    closeSync(fd)
    this.#unlink(path)
  }

  #unlink(path: string) {
    try {
      unlinkSync(path)
    } catch {
      // The folder may be gone with the server's last breath.
    }
  }
}
