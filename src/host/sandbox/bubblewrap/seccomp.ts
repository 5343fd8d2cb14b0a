// The filter of system calls, as the program that the kernel runs before each of them (classic BPF). It looks at the
// number of the call and at the plain values among its arguments; what a pointer leads to it cannot see.
import { ARCHITECTURES, CONDITIONAL, type Conditional, type Processor, REFUSED, UNKNOWN } from './seccomp-calls.ts'

interface Instruction {
  code: number
  /** How many instructions to leap over where a comparison holds, and where it does not. */
  yes: number
  no: number
  value: number
}

const LOAD = 0x20
const RETURN = 0x06
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45

// What the kernel shows of a call: its number, the processor's table, then the arguments with 64 bits each.
const AT_NUMBER = 0
const AT_ARCHITECTURE = 4
const AT_ARGUMENTS = 16
/** Numbers from here on are x86-64's second table, with 32-bit pointers. */
const X32 = 0x4000_0000

const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const EPERM = 0x0005_0001
const ENOSYS = 0x0005_0026
const BYTES_EACH = 8

/** The filter for a processor; undefined for one that there are no tables for. */
export function filterFor(processor: string): Buffer | undefined {
  return processor === 'x64' || processor === 'arm64' ? assemble(program(processor)) : undefined
}

function program(processor: Processor): Instruction[] {
  return [
    load(AT_ARCHITECTURE),
    ...unless(IF_EQUAL, ARCHITECTURES[processor], [give(KILL)]),
    load(AT_NUMBER),
    ...(processor === 'x64' ? when(IF_AT_LEAST, X32, [give(KILL)]) : []),
    ...Object.values(REFUSED).flatMap(numbers => when(IF_EQUAL, numbers[processor], [give(EPERM)])),
    ...Object.values(UNKNOWN).flatMap(numbers => when(IF_EQUAL, numbers[processor], [give(ENOSYS)])),
    ...Object.values(CONDITIONAL).flatMap(call => when(IF_EQUAL, call.numbers[processor], conditions(call))),
    give(ALLOW)
  ]
}

// Decides the call to its end: once an argument is loaded, the number is gone.
function conditions({ argument, bits, oneOf, noneOf, given }: Conditional): Instruction[] {
  const refused = give(EPERM)
  const tests = [
    load(lower(argument)),
    ...(bits === undefined ? [] : when(IF_ANY_BIT, bits, [refused])),
    ...(oneOf ?? []).flatMap(value => when(IF_EQUAL, value, [refused])),
    ...(noneOf ?? []).flatMap(value => when(IF_EQUAL, value, [give(ALLOW)])),
    noneOf ? refused : give(ALLOW)
  ]
  return given ? [load(lower(given.argument)), ...unless(IF_ANY_BIT, given.bits, [give(ALLOW)]), ...tests] : tests
}

/** Both processors put the lower half of an argument first. */
const lower = (argument: number) => AT_ARGUMENTS + argument * 8

const load = (value: number): Instruction => ({ code: LOAD, yes: 0, no: 0, value })
const give = (value: number): Instruction => ({ code: RETURN, yes: 0, no: 0, value })

function when(code: number, value: number | undefined, then: Instruction[]): Instruction[] {
  return value === undefined ? [] : [{ code, yes: 0, no: then.length, value }, ...then]
}

function unless(code: number, value: number, then: Instruction[]): Instruction[] {
  return [{ code, yes: then.length, no: 0, value }, ...then]
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * BYTES_EACH)
  for (const [i, { code, yes, no, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, i * BYTES_EACH)
    bytes.writeUInt8(yes, i * BYTES_EACH + 2)
    bytes.writeUInt8(no, i * BYTES_EACH + 3)
    bytes.writeUInt32LE(value >>> 0, i * BYTES_EACH + 4)
  }
  return bytes
}
