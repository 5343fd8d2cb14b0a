// Parses a Dockerfile: its stages, each with its instructions in order.

export interface Instruction {
  op: string
  /** The arguments, with continued lines joined. */
  text: string
}

export interface Stage {
  from: string
  /** Undefined for the last stage. */
  name: string | undefined
  instructions: Instruction[]
}

export function parseStages(dockerfile: string): Stage[] {
  const stages: Stage[] = []
  for (const { op, text } of parseInstructions(dockerfile)) {
    if (op === 'FROM') {
      const [from = '', , name] = text.split(/ (as) /i)
      stages.push({ from, name, instructions: [] })
    } else stages.at(-1)!.instructions.push({ op, text })
  }
  return stages
}

function parseInstructions(dockerfile: string): Instruction[] {
  return dockerfile
    .split('\n')
    .filter(line => !/^\s*(?:#|$)/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map(line => {
      const [, op = '', text = ''] = /^(\w+) +(.+)$/.exec(line.trim()) ?? []
      return { op: op.toUpperCase(), text }
    })
}

/** Returns the arguments of the last instruction of that kind. */
export const instructionText = ({ instructions }: Stage, op: string): string =>
  instructions.findLast(instruction => instruction.op === op)?.text ?? ''

/** Parses `A=1 B=2` of every ENV. */
export const parseEnvironment = ({ instructions }: Stage): Record<string, string> =>
  Object.fromEntries(
    instructions
      .filter(({ op }) => op === 'ENV')
      .flatMap(({ text }) => text.split(/ +/).map(pair => pair.split(/=(.*)/s, 2) as [string, string]))
  )
