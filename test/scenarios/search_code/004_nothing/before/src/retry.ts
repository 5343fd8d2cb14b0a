// Tries again what has failed, with a growing pause between.
export async function withBackoff(work: () => Promise<void>) {
  for (let pause = 100; pause < 10_000; pause *= 2) {
    try {
      return await work()
    } catch {
      await new Promise(resolve => setTimeout(resolve, pause))
    }
  }
}
