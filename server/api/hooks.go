package api

import (
	"context"
	"net/http"

	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

func (v *Service) hookRoutes() {
	const path = "/v1/collections/{collection}/hooks"
	const limit = 20
	operation(v, http.MethodGet, path, "List hooks", forAdmin, func(ctx context.Context, in *InCollection) (*body[Page[jobs.Hook]], error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		all, err := v.store.Hooks(ctx, in.Collection)
		return page(all, len(all), nil, jobs.HookResponse), err
	})
	operation(v, http.MethodPost, path, "Send messages about the collection to an address", forAdmin,
		func(ctx context.Context, in *inCollection[jobs.HookRequest]) (*body[jobs.Hook], error) {
			if err := v.jobs.CheckHook(ctx, in.Body.URL); err != nil {
				return nil, err
			}
			all, err := v.store.Hooks(ctx, in.Collection)
			if err != nil {
				return nil, err
			}
			if len(all) >= limit {
				return nil, people.Clash("the collection has %d hooks already", limit)
			}
			h, err := v.store.CreateHook(ctx, requestOf(ctx).Actor, in.Collection,
				store.Hook{URL: in.Body.URL, Events: in.Body.Events, Names: in.Body.Names})
			response := jobs.HookResponse(h)
			response.Secret = h.Secret
			return answered(response, v.people.Publish(ctx, in.Collection, err))
		})
	operation(v, http.MethodDelete, path+"/{hook}", "Send no more messages to an address", forAdmin,
		func(ctx context.Context, in *InHook) (*struct{}, error) {
			err := v.store.DeleteHook(ctx, requestOf(ctx).Actor, in.Collection, in.Hook)
			return nil, v.people.Publish(ctx, in.Collection, err)
		})
	operation(v, http.MethodPost, path+"/{hook}/test", "Send a message with the event ping", forAdmin,
		func(ctx context.Context, in *InHook) (*body[jobs.Delivery], error) {
			j, err := v.store.TestHook(ctx, in.Collection, in.Hook)
			return answered(jobs.DeliveryResponse(j), err)
		})
	operation(v, http.MethodGet, path+"/{hook}/deliveries", "List messages to an address of the last week, the latest first",
		forAdmin, func(ctx context.Context, in *struct {
			InHook
			Cursor
		},
		) (*body[Page[jobs.Delivery]], error) {
			if _, err := v.store.Hook(ctx, in.Collection, in.Hook); err != nil {
				return nil, err
			}
			list := func(before string, limit int) ([]store.Job, error) {
				return v.store.Jobs(ctx, in.Collection, store.KindMessage, "", in.Hook, before, limit)
			}
			return pageByID(in.Cursor, list, func(j store.Job) string { return j.ID }, jobs.DeliveryResponse)
		})
}
