// The seccomp filter, as the classic BPF program that the kernel runs before each system call. It evaluates the call number and
// plain argument values; memory behind pointers is invisible to it.
import {
  type Architecture,
  AUDIT_ARCH,
  type ConditionalSyscall,
  SANDBOX_SYSCALLS,
  type SyscallTables
} from './seccomp-calls.ts'

interface BpfInstruction {
  code: number
  /** Number of instructions to jump over if a comparison is true, and if it is false. */
  jt: number
  jf: number
  k: number
}

const LOAD = 0x20
const RETURN = 0x06
const IF_EQUAL = 0x15
const IF_AT_LEAST = 0x35
const IF_ANY_BIT = 0x45

// Layout of `seccomp_data`: call number, architecture, then the arguments with 64 bits each.
const OFFSET_NUMBER = 0
const OFFSET_ARCHITECTURE = 4
const OFFSET_ARGUMENTS = 16
/** Numbers from here on are x86-64's second table, with 32-bit pointers. */
const X32 = 0x4000_0000

const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const EPERM = 0x0005_0001
const EACCES = 0x0005_000d
const ENOSYS = 0x0005_0026
const INSTRUCTION_BYTES = 8
const MAX_JUMP = 255

/** Builds the filter for a processor; undefined for one without tables. */
export function buildFilter(processor: string, tables: SyscallTables = SANDBOX_SYSCALLS): Buffer | undefined {
  return processor === 'x64' || processor === 'arm64' ? assemble(program(processor, tables)) : undefined
}

function program(processor: Architecture, { denied, unavailable, unimplemented, conditional }: SyscallTables) {
  const refuse = (calls: SyscallTables['denied'], action: number) =>
    ifAnyOf(
      Object.values(calls).flatMap(numbers => numbers[processor] ?? []),
      returnAction(action)
    )
  return [
    load(OFFSET_ARCHITECTURE),
    ...ifFalse(IF_EQUAL, AUDIT_ARCH[processor], [returnAction(KILL)]),
    load(OFFSET_NUMBER),
    ...(processor === 'x64' ? ifTrue(IF_AT_LEAST, X32, [returnAction(KILL)]) : []),
    ...refuse(denied, EPERM),
    ...refuse(unavailable, EACCES),
    ...refuse(unimplemented, ENOSYS),
    ...Object.values(conditional)
      .flat()
      .flatMap(call => ifTrue(IF_EQUAL, call.numbers[processor], checkArguments(call))),
    returnAction(ALLOW)
  ]
}

// Refuses the call, or goes on with what is next for it: its number is loaded again.
function checkArguments({ argument, bits, oneOf, noneOf, onlyIf }: ConditionalSyscall): BpfInstruction[] {
  const refused = returnAction(EPERM)
  const tests = [
    load(lowerHalfOffset(argument)),
    ...(bits === undefined ? [] : ifTrue(IF_ANY_BIT, bits, [refused])),
    ...(oneOf ?? []).flatMap(value => ifTrue(IF_EQUAL, value, [refused])),
    ...(noneOf ? ifNoneOf(noneOf, refused) : [])
  ]
  const again = load(OFFSET_NUMBER)
  if (!onlyIf) return [...tests, again]
  return [load(lowerHalfOffset(onlyIf.argument)), ...ifTrue(IF_ANY_BIT, onlyIf.bits, tests), again]
}

/** One return serves all: the filter is shorter, and faster to install. Offsets of jumps have 8 bits, which suffices for the tables. */
const ifAnyOf = (values: readonly number[], then: BpfInstruction): BpfInstruction[] => {
  const last = values.length - 1
  if (last > MAX_JUMP)
    throw new Error(
      `The system call filter cannot be built: a group of ${values.length} system calls is too large for one jump instruction.`
    )
  return values.length === 0
    ? []
    : [...values.map((k, i) => ({ code: IF_EQUAL, jt: last - i, jf: i === last ? 1 : 0, k })), then]
}

const ifNoneOf = (values: readonly number[], then: BpfInstruction): BpfInstruction[] => [
  ...values.map((k, i) => ({ code: IF_EQUAL, jt: values.length - i, jf: 0, k })),
  then
]

/** Both processors are little-endian: the lower half of an argument comes first. */
const lowerHalfOffset = (argument: number) => OFFSET_ARGUMENTS + argument * 8

const load = (k: number): BpfInstruction => ({ code: LOAD, jt: 0, jf: 0, k })
const returnAction = (k: number): BpfInstruction => ({ code: RETURN, jt: 0, jf: 0, k })

function ifTrue(code: number, k: number | undefined, then: BpfInstruction[]): BpfInstruction[] {
  return k === undefined ? [] : [{ code, jt: 0, jf: then.length, k }, ...then]
}

function ifFalse(code: number, k: number, then: BpfInstruction[]): BpfInstruction[] {
  return [{ code, jt: then.length, jf: 0, k }, ...then]
}

function assemble(instructions: readonly BpfInstruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * INSTRUCTION_BYTES)
  for (const [i, { code, jt, jf, k }] of instructions.entries()) {
    bytes.writeUInt16LE(code, i * INSTRUCTION_BYTES)
    bytes.writeUInt8(jt, i * INSTRUCTION_BYTES + 2)
    bytes.writeUInt8(jf, i * INSTRUCTION_BYTES + 3)
    bytes.writeUInt32LE(k >>> 0, i * INSTRUCTION_BYTES + 4)
  }
  return bytes
}
