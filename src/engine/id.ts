// Unique identifiers of calls, rules and delegations, sortable by time: ULIDs, strictly monotonic within one process.
import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_CHARACTERS = 16

let lastTime = 0
let random: number[] = []
let pool = Buffer.alloc(0)
let used = 0

/** Returns a new id such as `tc_01JD…`: the prefix, a 48-bit timestamp, 80 random bits. */
export function newId(prefix: 'tc' | 'rule' | 'dg'): string {
  const now = Date.now()
  if (now > lastTime) {
    lastTime = now
    random = chance()
  } else increment(random)
  return `${prefix}_${timePart(lastTime)}${random.map(digit => ALPHABET[digit]).join('')}`
}

function timePart(time: number) {
  let text = ''
  for (let rest = time; text.length < 10; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}

function chance() {
  if (used + RANDOM_CHARACTERS > pool.length) {
    pool = randomBytes(4_096)
    used = 0
  }
  const bytes = pool.subarray(used, used + RANDOM_CHARACTERS)
  used += RANDOM_CHARACTERS
  // The top bit stays clear, so that incrementing within one millisecond cannot overflow.
  return Array.from(bytes, (byte, i) => byte & (i === 0 ? 15 : 31))
}

function increment(digits: number[]) {
  for (let i = digits.length - 1; i >= 0; i -= 1) {
    if (digits[i]! < 31) {
      digits[i]! += 1
      return
    }
    digits[i] = 0
  }
}
