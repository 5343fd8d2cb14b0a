// Receives presses of buttons from services that the server asks for them, while a call waits that was sent.
import type { Channel, PressButton } from './channel.ts'

interface ButtonListenersParts {
  /** Opens a channel with its current secrets. */
  open(channel: string): Promise<Channel>
  /** Returns what decides as a pressed button of the channel says. */
  pressOf(channel: string): PressButton
  warn(channel: string, error: unknown): void
  /** Aborts when the server stops. */
  signal: AbortSignal
}

export class ButtonListeners {
  readonly #parts: ButtonListenersParts
  /** Calls that wait and were sent. */
  readonly #calls = new Set<string>()
  /** Channels from which presses are being received. */
  readonly #active = new Set<string>()

  constructor(parts: ButtonListenersParts) {
    this.#parts = parts
  }

  add(tool_call_id: string) {
    this.#calls.add(tool_call_id)
  }

  delete(tool_call_id: string) {
    this.#calls.delete(tool_call_id)
  }

  /** Receives the presses of a channel until no call waits that was sent. */
  async run(channel: string): Promise<void> {
    const { open, pressOf, warn, signal } = this.#parts
    const isNeeded = () => this.#calls.size > 0 && !signal.aborted
    if (this.#active.has(channel)) return
    this.#active.add(channel)
    try {
      // A call may have been sent while the last press was being confirmed.
      while (isNeeded()) {
        const { listen } = await open(channel)
        if (!listen) return
        await listen(pressOf(channel), { isNeeded, signal })
      }
    } catch (error) {
      if (!signal.aborted) warn(channel, error)
    } finally {
      this.#active.delete(channel)
    }
  }
}
