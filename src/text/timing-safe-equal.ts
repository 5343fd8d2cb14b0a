// Comparison of secret texts, such as signatures, whose time reveals nothing of the right one but its length.
import { timingSafeEqual } from 'node:crypto'

export function isTimingSafeEqual(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
