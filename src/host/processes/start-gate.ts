// The gate that commands pass when they start. While a command starts whose files were checked, no other starts and those that may
// write in the workspace are stopped: between the last check and the start, nothing of the server changes what it executes.
import { setTimeout as pause } from 'node:timers/promises'
import type { Spawner } from './spawner/spawner.ts'

/**
 * Time in milliseconds for a started program to open the files that it executes first, in which no other starts: interpreters take
 * some ten milliseconds.
 */
const OPENING_MS = 250
/** The same until file tools may change them: package managers take some hundred milliseconds. */
const READING_MS = 2_000
/** Maximum time in milliseconds for a sandbox to start its program, and the interval of looks. */
const MAX_STARTING_MS = 3_000
const STARTING_INTERVAL_MS = 5

/** A program that is being started, in a sandbox or without one. */
interface StartingProgram {
  /** Returns true once the program itself runs. */
  hasBegun(): boolean
  /** Resolves when it has ended. */
  ended: Promise<unknown>
}

/** Ends the start, with the program, or with undefined if it could not be started. */
type PassGate = (started: StartingProgram | undefined) => void

interface CheckedStart {
  verify(): Promise<void>
  /** Called when the program has had the time to read what it executes. */
  onStarted?: (() => void) | undefined
  /** Called when the program has ended, or could not be started, after a successful check. */
  onEnded?: (() => void) | undefined
}

export class StartGate {
  readonly #spawner: Pick<Spawner, 'freezeWriters'>
  /** Resolves when no command with checked files is starting. */
  #held: Promise<void> = Promise.resolve()
  #holders = 0
  /** Other commands that are starting. */
  readonly #starting = new Set<Promise<void>>()

  constructor(spawner: Pick<Spawner, 'freezeWriters'>) {
    this.#spawner = spawner
  }

  /** Waits until a command may start; a checked one is verified after that. The result must be called after the start. */
  async enter(root: string, checked: CheckedStart | undefined): Promise<PassGate> {
    if (checked) return this.#enterChecked(root, checked)
    while (this.#holders > 0) await this.#held
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#starting.add(promise)
    return () => {
      this.#starting.delete(promise)
      resolve()
    }
  }

  async #enterChecked(root: string, { verify, onStarted, onEnded }: CheckedStart): Promise<PassGate> {
    const before = this.#held
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    this.#holders += 1
    let thaw = () => {}
    const leave = () => {
      thaw()
      this.#holders -= 1
      resolve()
    }
    try {
      await before
      await Promise.all(this.#starting)
      thaw = await this.#spawner.freezeWriters(root)
      await verify()
    } catch (error) {
      leave()
      throw error
    }
    return started => {
      if (started) {
        void letOpen(started, leave).then(onStarted)
        void started.ended.catch(() => {}).then(onEnded)
      } else {
        leave()
        onEnded?.()
      }
    }
  }
}

/** Resolves when the program has had the time to read the files that it executes; calls `leave` when it has opened the first. */
async function letOpen({ hasBegun, ended }: StartingProgram, leave: () => void) {
  let hasEnded = false
  const onEnd = ended
    .catch(() => {})
    .then(() => {
      hasEnded = true
    })
  const deadline = performance.now() + MAX_STARTING_MS
  while (!hasEnded && !hasBegun() && performance.now() < deadline) await pause(STARTING_INTERVAL_MS)
  await Promise.race([onEnd, pause(OPENING_MS, undefined, { ref: false })])
  leave()
  await Promise.race([onEnd, pause(READING_MS - OPENING_MS, undefined, { ref: false })])
}
