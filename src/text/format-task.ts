import { escapeInvisible } from './escape-invisible.ts'

const MAX_SHOWN_CHARACTERS = 80

/** Facts about a background task for a list. */
interface TaskFacts {
  task_id: string
  status: string
  tool: string
  command?: string
  description?: string
  exit_code?: number | null
  output_bytes?: number
}

/** Formats a task in one line. */
export function formatTask({
  task_id,
  status,
  tool,
  command,
  description,
  exit_code,
  output_bytes
}: TaskFacts): string {
  const what = description ?? command ?? tool
  const ended = typeof exit_code === 'number' ? ` ${exit_code}` : ''
  const printed = output_bytes === undefined ? '' : `, ${output_bytes} bytes of output`
  return `${task_id} ${status}${ended}: ${escapeInvisible(what.trim().split('\n', 1)[0]!.slice(0, MAX_SHOWN_CHARACTERS))}${printed}`
}
