import { derive, model } from 'octavo/changes'
import { z } from 'zod'

export const Order = model('Order', {
  id: z.int().min(1),
  article: z.string().min(1).max(100),
  quantity: z.int().min(1).max(1000),
  orderedAt: z.date(),
})
export type Order = z.output<typeof Order>

/** The path of one order. */
export const OrderPath = derive(Order, (order) => order.pick({ id: true }))

export const NewOrder = derive(Order, (order) => order.pick({ article: true, quantity: true }))
export type NewOrder = z.output<typeof NewOrder>
