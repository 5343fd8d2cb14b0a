// Times that pass while a test runs: what has to come before one is tried again where the machine was too slow for it.

const FIRST_MS = 500

/** Passes a time from now, in milliseconds, and twice as much for as long as that has passed before the attempt succeeded. */
export async function beforeItPasses<T>(attempt: (ms: number) => Promise<T | undefined>): Promise<T> {
  for (let ms = FIRST_MS; ; ms *= 2) {
    const result = await attempt(ms)
    if (result !== undefined) return result
  }
}

/** Returns the time in so many milliseconds, as the interface takes it. */
export const timeIn = (ms: number) => new Date(Date.now() + ms).toISOString()
