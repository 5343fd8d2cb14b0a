// The contract of a command's file: how it declares itself, and the commands that it may look up.
import type { Command } from 'commander'
import type { CliContext } from './context.ts'

/** Adds arguments, options and the action to a command. */
export type CommandSetup = (command: Command, context: CliContext, catalog: CommandCatalog) => void

/** All commands, for those that complete or describe other ones. */
export interface CommandCatalog {
  /** Names and summaries of the commands that people use. */
  list(): readonly { name: string; summary: string }[]
  /** Returns a command with its arguments and options. Throws a usage error for an unknown name. */
  create(name: string, context: CliContext): Promise<Command>
  /** Global options that take a value. */
  valueOptions: readonly string[]
}
