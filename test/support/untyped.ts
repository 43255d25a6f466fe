import { defineController, defineModule, defineRouter } from 'octavo'
import type { Controller, Module } from 'octavo'

/** A controller without its types: its routes are made in a loop, or are mistakes for those whom no compiler warned. */
export const controller = defineController as unknown as (
  options: object,
) => Controller<string, string, readonly []>

/** A router without its types. */
export const router = defineRouter as unknown as (options: object) => Controller<string, string, readonly []>

/** A module without its types. */
export const moduleOf = defineModule as unknown as (options: object) => Module<unknown, unknown>
